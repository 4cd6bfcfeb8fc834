"""Attributes that AWS has and moto's models lack: (type, attribute) → how to read it from the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bedplate.sandbox.cloudformation.handler import ResourceRequest

Reader = Callable[[ResourceRequest, Any], Any]

MISSING_ATTRIBUTES: Mapping[tuple[str, str], Reader] = {
    ("AWS::EC2::InternetGateway", "InternetGatewayId"): lambda request, model: model.id,
    ("AWS::EC2::NatGateway", "NatGatewayId"): lambda request, model: model.id,
    ("AWS::EC2::RouteTable", "RouteTableId"): lambda request, model: model.id,
    ("AWS::EC2::VPC", "VpcId"): lambda request, model: model.id,
    ("AWS::EC2::VPC", "CidrBlock"): lambda request, model: model.cidr_block,
    ("AWS::EC2::VPC", "CidrBlockAssociations"): lambda request, model: [model.cidr_block],
    ("AWS::EC2::Subnet", "SubnetId"): lambda request, model: model.id,
    ("AWS::EC2::Subnet", "VpcId"): lambda request, model: model.vpc_id,
    ("AWS::EC2::Subnet", "CidrBlock"): lambda request, model: model.cidr_block,
    ("AWS::EC2::SecurityGroup", "GroupId"): lambda request, model: model.id,
    ("AWS::EC2::SecurityGroup", "VpcId"): lambda request, model: model.vpc_id,
    ("AWS::EC2::LaunchTemplate", "LaunchTemplateId"): lambda request, model: model.id,
    ("AWS::EC2::LaunchTemplate", "LatestVersionNumber"): lambda request, model: str(
        model.latest_version_number
    ),
    ("AWS::EC2::LaunchTemplate", "DefaultVersionNumber"): lambda request, model: str(
        model.default_version_number
    ),
    ("AWS::EC2::EIP", "AllocationId"): lambda request, model: model.allocation_id,
    ("AWS::EC2::EIP", "PublicIp"): lambda request, model: model.public_ip,
    ("AWS::SNS::Topic", "TopicArn"): lambda request, model: model.arn,
    ("AWS::SNS::Topic", "TopicName"): lambda request, model: model.name,
    ("AWS::SSM::Parameter", "Value"): lambda request, model: model.value,
    ("AWS::SSM::Parameter", "Type"): lambda request, model: model.parameter_type,
    ("AWS::IAM::Role", "RoleId"): lambda request, model: model.id,
    ("AWS::S3::Bucket", "RegionalDomainName"): lambda request, model: (
        f"{model.name}.s3.{request.region}.amazonaws.com"
    ),
}
