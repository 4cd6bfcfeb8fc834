"""A small HyperPod cluster as a template, and a bucket with its life-cycle script."""

from __future__ import annotations

import uuid
from typing import Any

from tests.sandbox.stand_in import StandIn

SCRIPT = "#!/bin/bash\necho hello\n"
COMPUTE = {"NodeType": "Compute", "PartitionNames": ["train"]}
OUTPUTS = {"Arn": {"Value": {"Ref": "Cluster"}}, "Subnet": {"Value": {"Ref": "Subnet"}}}


def scripts(stand_in: StandIn, **more: str) -> str:
    """The URI of a folder with an ``on_create.sh`` and ``more`` files."""
    s3, bucket = stand_in.client("s3"), f"sagemaker-{uuid.uuid4().hex[:12]}"
    s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
    for name, text in {"on_create.sh": SCRIPT, **more}.items():
        s3.put_object(Bucket=bucket, Key=f"slurm/{name}", Body=text.encode())
    return f"s3://{bucket}/slurm"


def group(uri: str, name: str, instance_type: str, count: int, **slurm: Any) -> dict[str, Any]:
    """An instance group."""
    return {
        "InstanceGroupName": name,
        "InstanceType": f"ml.{instance_type}",
        "InstanceCount": count,
        "ExecutionRole": {"Fn::GetAtt": ["Role", "Arn"]},
        "LifeCycleConfig": {"SourceS3Uri": uri, "OnCreate": "on_create.sh"},
        "SlurmConfig": slurm,
    }


def hyperpod_resources(uri: str, *, nodes: int = 2) -> dict[str, Any]:
    """A VPC, a role, and a cluster of a controller, a login node and GPU nodes."""
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
        "Group": {
            "Type": "AWS::EC2::SecurityGroup",
            "Properties": {"VpcId": {"Ref": "Vpc"}, "GroupDescription": "fabric"},
        },
        "Role": {
            "Type": "AWS::IAM::Role",
            "Properties": {
                "AssumeRolePolicyDocument": {
                    "Version": "2012-10-17",
                    "Statement": [
                        {
                            "Effect": "Allow",
                            "Principal": {"Service": "sagemaker.amazonaws.com"},
                            "Action": "sts:AssumeRole",
                        }
                    ],
                },
            },
        },
        "Cluster": {
            "Type": "AWS::SageMaker::Cluster",
            "Properties": {
                "ClusterName": {"Ref": "AWS::StackName"},
                "InstanceGroups": [
                    group(uri, "controller", "m7i.large", 1, NodeType="Controller"),
                    group(uri, "login", "m7i.large", 1, NodeType="Login"),
                    {
                        **group(
                            uri, "h200", "p5en.48xlarge", nodes, NodeType="Compute", PartitionNames=["train"]
                        ),
                        "NetworkInterface": {"InterfaceType": "efa-only"},
                    },
                ],
                "VpcConfig": {
                    "SecurityGroupIds": [{"Fn::GetAtt": ["Group", "GroupId"]}],
                    "Subnets": [{"Ref": "Subnet"}],
                },
                "Orchestrator": {"Slurm": {}},
                "NodeRecovery": "Automatic",
                "NodeProvisioningMode": "Continuous",
            },
        },
    }
