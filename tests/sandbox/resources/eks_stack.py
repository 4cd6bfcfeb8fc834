"""A small EKS cluster as a template."""

from __future__ import annotations

import base64
from typing import Any

USER_DATA = (
    'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="//"\n\n'
    "--//\nContent-Type: application/node.eks.aws\n\napiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n"
    '--//\nContent-Type: text/x-shellscript; charset="us-ascii"\n\n#!/bin/bash\necho hello\n--//--\n'
)


def role(service: str, *actions: str) -> dict[str, Any]:
    """A role that a service may take."""
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": ["sts:AssumeRole", *actions]}
    document = {"Version": "2012-10-17", "Statement": [statement]}
    return {"Type": "AWS::IAM::Role", "Properties": {"AssumeRolePolicyDocument": document}}


def subnet(number: int, zone: str) -> dict[str, Any]:
    """A subnet of the VPC."""
    return {
        "Type": "AWS::EC2::Subnet",
        "Properties": {
            "VpcId": {"Ref": "Vpc"},
            "CidrBlock": f"10.0.{number}.0/24",
            "AvailabilityZoneId": f"usw2-{zone}",
        },
    }


def eks_cluster() -> dict[str, Any]:
    """A VPC with two subnets, a role, and a private cluster without nodes."""
    return {
        "Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}},
        "One": subnet(0, "az1"),
        "Two": subnet(1, "az2"),
        "Role": role("eks.amazonaws.com"),
        "Cluster": {
            "Type": "AWS::EKS::Cluster",
            "Properties": {
                "Name": {"Ref": "AWS::StackName"},
                "Version": "1.35",
                "RoleArn": {"Fn::GetAtt": ["Role", "Arn"]},
                "AccessConfig": {"AuthenticationMode": "API"},
                "ResourcesVpcConfig": {
                    "SubnetIds": [{"Ref": "One"}, {"Ref": "Two"}],
                    "EndpointPrivateAccess": True,
                    "EndpointPublicAccess": False,
                },
            },
        },
    }


def eks_resources(*, nodes: int = 2, instance_type: str = "p5en.48xlarge") -> dict[str, Any]:
    """The cluster with one node group, whose template names the cluster's security group."""
    return {
        **eks_cluster(),
        "NodeRole": role("ec2.amazonaws.com"),
        "Template": {
            "Type": "AWS::EC2::LaunchTemplate",
            "Properties": {
                "LaunchTemplateData": {
                    "InstanceType": instance_type,
                    "UserData": base64.b64encode(USER_DATA.encode()).decode(),
                    "SecurityGroupIds": [{"Fn::GetAtt": ["Cluster", "ClusterSecurityGroupId"]}],
                    "TagSpecifications": [
                        {"ResourceType": "instance", "Tags": [{"Key": "Name", "Value": "node"}]}
                    ],
                }
            },
        },
        "Nodes": {
            "Type": "AWS::EKS::Nodegroup",
            "Properties": {
                "NodegroupName": "h200",
                "ClusterName": {"Ref": "Cluster"},
                "NodeRole": {"Fn::GetAtt": ["NodeRole", "Arn"]},
                "AmiType": "AL2023_x86_64_NVIDIA",
                "Subnets": [{"Ref": "Two"}],
                "ScalingConfig": {"MinSize": 0, "DesiredSize": nodes, "MaxSize": max(nodes, 4)},
                "Labels": {"pool": "h200"},
                "Taints": [{"Key": "nvidia.com/gpu", "Value": "true", "Effect": "NO_SCHEDULE"}],
                "LaunchTemplate": {
                    "Id": {"Ref": "Template"},
                    "Version": {"Fn::GetAtt": ["Template", "LatestVersionNumber"]},
                },
            },
        },
    }
