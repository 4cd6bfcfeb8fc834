"""A small PCS cluster as a template."""

from __future__ import annotations

import base64
from typing import Any

OUTPUTS = {
    "Cluster": {"Value": {"Fn::GetAtt": ["Cluster", "Id"]}},
    "Group": {"Value": {"Fn::GetAtt": ["Nodes", "Id"]}},
    "Template": {"Value": {"Ref": "Template"}},
}
USER_DATA = "#!/bin/bash\necho hello\n"


def pcs_resources(
    *, nodes: int = 2, most: int | None = None, instance_type: str = "p5en.48xlarge"
) -> dict[str, Any]:
    """A VPC, a role, a launch template, a cluster, one node group and one queue."""
    return {
        "Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}},
        "Subnet": {
            "Type": "AWS::EC2::Subnet",
            "Properties": {
                "VpcId": {"Ref": "Vpc"},
                "CidrBlock": "10.0.0.0/24",
                "AvailabilityZoneId": "usw2-az2",
            },
        },
        "Role": {
            "Type": "AWS::IAM::Role",
            "Properties": {
                "Path": "/aws-pcs/",
                "AssumeRolePolicyDocument": {
                    "Version": "2012-10-17",
                    "Statement": [
                        {
                            "Effect": "Allow",
                            "Principal": {"Service": "ec2.amazonaws.com"},
                            "Action": "sts:AssumeRole",
                        }
                    ],
                },
            },
        },
        "Profile": {
            "Type": "AWS::IAM::InstanceProfile",
            "Properties": {"Roles": [{"Ref": "Role"}], "Path": "/aws-pcs/"},
        },
        "Template": {
            "Type": "AWS::EC2::LaunchTemplate",
            "Properties": {
                "LaunchTemplateData": {
                    "UserData": base64.b64encode(USER_DATA.encode()).decode(),
                    "TagSpecifications": [
                        {"ResourceType": "instance", "Tags": [{"Key": "Name", "Value": "node"}]}
                    ],
                }
            },
        },
        "Cluster": {
            "Type": "AWS::PCS::Cluster",
            "Properties": {
                "Name": {"Ref": "AWS::StackName"},
                "Size": "SMALL",
                "Scheduler": {"Type": "SLURM", "Version": "25.11"},
                "Networking": {"SubnetIds": [{"Ref": "Subnet"}]},
            },
        },
        "Nodes": {
            "Type": "AWS::PCS::ComputeNodeGroup",
            "Properties": {
                "Name": "h200",
                "ClusterId": {"Fn::GetAtt": ["Cluster", "Id"]},
                "AmiId": "ami-0123456789abcdef0",
                "CustomLaunchTemplate": {
                    "TemplateId": {"Ref": "Template"},
                    "Version": {"Fn::GetAtt": ["Template", "LatestVersionNumber"]},
                },
                "IamInstanceProfileArn": {"Fn::GetAtt": ["Profile", "Arn"]},
                "InstanceConfigs": [{"InstanceType": instance_type}],
                "ScalingConfiguration": {"MinInstanceCount": nodes, "MaxInstanceCount": most or nodes},
                "SubnetIds": [{"Ref": "Subnet"}],
            },
        },
        "Queue": {
            "Type": "AWS::PCS::Queue",
            "Properties": {
                "Name": "train",
                "ClusterId": {"Fn::GetAtt": ["Cluster", "Id"]},
                "ComputeNodeGroupConfigurations": [{"ComputeNodeGroupId": {"Fn::GetAtt": ["Nodes", "Id"]}}],
            },
        },
    }
