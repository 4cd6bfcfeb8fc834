"""OpenZFS, EFS and Intelligent-Tiering in the stand-in, and what AWS refuses of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.sandbox.stand_in import StandIn, outputs

NETWORK: dict[str, Any] = {
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
        "Properties": {
            "GroupDescription": "servers",
            "VpcId": {"Ref": "Vpc"},
            "SecurityGroupEgress": [
                {
                    "IpProtocol": "icmp",
                    "FromPort": 252,
                    "ToPort": 86,
                    "CidrIp": "255.255.255.255/32",
                    "Description": "none",
                }
            ],
        },
    },
}
ZFS = {
    "FileSystemType": "OPENZFS",
    "StorageCapacity": 1024,
    "SubnetIds": [{"Ref": "Subnet"}],
    "SecurityGroupIds": [{"Fn::GetAtt": ["Group", "GroupId"]}],
    "OpenZFSConfiguration": {"DeploymentType": "SINGLE_AZ_HA_2", "ThroughputCapacity": 640},
}
TIERING = {
    "FileSystemType": "LUSTRE",
    "StorageType": "INTELLIGENT_TIERING",
    "SubnetIds": [{"Ref": "Subnet"}],
    "LustreConfiguration": {
        "DeploymentType": "PERSISTENT_2",
        "EfaEnabled": True,
        "ThroughputCapacity": 4000,
        "DataReadCacheConfiguration": {"SizingMode": "USER_PROVISIONED", "SizeGiB": 32},
        "MetadataConfiguration": {"Mode": "USER_PROVISIONED", "Iops": 6000},
    },
}


def _fsx(properties: dict[str, Any], **changed: Any) -> dict[str, Any]:
    """The network and one FSx file system; a changed value of None leaves the property out."""
    whole = {**json.loads(json.dumps(properties)), **changed}
    return {
        **NETWORK,
        "Fs": {
            "Type": "AWS::FSx::FileSystem",
            "Properties": {name: value for name, value in whole.items() if value is not None},
        },
    }


def test_openzfs_is_told_with_its_root_volume(stand_in: StandIn) -> None:
    """FSx tells kind, interface and throughput, and a volume by the path that clients mount."""
    stack = stand_in.create(_fsx(ZFS), Outputs={"Fs": {"Value": {"Ref": "Fs"}}})
    fsx, file_system_id = stand_in.client("fsx"), outputs(stack)["Fs"]
    (told,) = fsx.describe_file_systems(FileSystemIds=[file_system_id])["FileSystems"]
    assert (told["FileSystemType"], told["Lifecycle"]) == ("OPENZFS", "AVAILABLE")
    assert told["OpenZFSConfiguration"]["ThroughputCapacity"] == 640
    (interface,) = told["NetworkInterfaceIds"]
    (found,) = stand_in.client("ec2").describe_network_interfaces(NetworkInterfaceIds=[interface])[
        "NetworkInterfaces"
    ]
    assert [group["GroupId"] for group in found["Groups"]] == [
        stand_in.physical_id(stack["StackName"], "Group")
    ]
    filters = [{"Name": "file-system-id", "Values": [file_system_id]}]
    (volume,) = fsx.describe_volumes(Filters=filters)["Volumes"]
    assert volume["OpenZFSConfiguration"]["VolumePath"] == "/fsx"
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_COMPLETE"
    assert fsx.describe_volumes(Filters=filters)["Volumes"] == []


def test_tiering_is_told_with_its_cache(stand_in: StandIn) -> None:
    """FSx tells throughput and cache of a file system that has no size."""
    stack = stand_in.create(_fsx(TIERING), Outputs={"Fs": {"Value": {"Ref": "Fs"}}})
    (told,) = stand_in.client("fsx").describe_file_systems(FileSystemIds=[outputs(stack)["Fs"]])[
        "FileSystems"
    ]
    assert told["StorageType"] == "INTELLIGENT_TIERING"
    assert told["LustreConfiguration"]["ThroughputCapacity"] == 4000
    assert told["LustreConfiguration"]["DataReadCacheConfiguration"]["SizeGiB"] == 32


@pytest.mark.parametrize(
    ("properties", "changed", "reason"),
    [
        (ZFS, {"StorageCapacity": 63}, "out of range"),
        (
            ZFS,
            {"OpenZFSConfiguration": {"DeploymentType": "SINGLE_AZ_2", "ThroughputCapacity": 64}},
            "ThroughputCapacity 64 is none of SINGLE_AZ_2",
        ),
        (
            ZFS,
            {
                "OpenZFSConfiguration": {
                    **ZFS["OpenZFSConfiguration"],  # type: ignore[dict-item]
                    "PreferredSubnetId": "subnet-1",
                }
            },
            "PreferredSubnetId is for MULTI_AZ_1 only",
        ),
        (TIERING, {"StorageCapacity": 1200}, "takes no StorageCapacity"),
        (
            TIERING,
            {"LustreConfiguration": {"DeploymentType": "PERSISTENT_2", "ThroughputCapacity": 6000}},
            "no multiple of 4000",
        ),
        (
            TIERING,
            {"LustreConfiguration": {"DeploymentType": "PERSISTENT_2", "ThroughputCapacity": 4000}},
            "needs a DataReadCacheConfiguration",
        ),
        (
            TIERING,
            {"SecurityGroupIds": [{"Fn::GetAtt": ["Group", "GroupId"]}]},
            "do not let all traffic in between",
        ),
        (
            {
                "FileSystemType": "LUSTRE",
                "StorageCapacity": 1200,
                "SubnetIds": [{"Ref": "Subnet"}],
                "LustreConfiguration": {"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 250},
            },
            {"SecurityGroupIds": [{"Fn::GetAtt": ["Group", "GroupId"]}]},
            "do not let port 988 in between",
        ),
    ],
)
def test_what_fsx_refuses_fails_the_stack(
    stand_in: StandIn, properties: dict[str, Any], changed: dict[str, Any], reason: str
) -> None:
    """Sizes off the steps, members of other deployments, and ports that are shut."""
    stack = stand_in.create(_fsx(properties, **changed))
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert reason in stand_in.reasons(stack["StackName"])


def test_a_file_system_of_others_is_made_by_the_api(stand_in: StandIn) -> None:
    """What was there before an environment is made by FSx's own operation, under the same rules."""
    stack = stand_in.create(NETWORK)
    subnet = stand_in.physical_id(stack["StackName"], "Subnet")
    fsx = stand_in.client("fsx")
    given = {
        "FileSystemType": "OPENZFS",
        "StorageCapacity": 64,
        "SubnetIds": [subnet],
        "OpenZFSConfiguration": {"DeploymentType": "SINGLE_AZ_2", "ThroughputCapacity": 160},
        "Tags": [{"Key": "owner", "Value": "others"}],
    }
    made = fsx.create_file_system(**given)["FileSystem"]
    assert made["Tags"] == [{"Key": "owner", "Value": "others"}]
    assert fsx.describe_file_systems(FileSystemIds=[made["FileSystemId"]])["FileSystems"] == [made]
    with pytest.raises(ClientError, match="out of range"):
        fsx.create_file_system(**{**given, "StorageCapacity": 1})
    fsx.delete_file_system(FileSystemId=made["FileSystemId"])


def _efs(*zones: str) -> dict[str, Any]:
    resources = {
        **NETWORK,
        "Efs": {
            "Type": "AWS::EFS::FileSystem",
            "Properties": {
                "Encrypted": True,
                "ThroughputMode": "elastic",
                "BackupPolicy": {"Status": "ENABLED"},
                "FileSystemPolicy": {"Version": "2012-10-17", "Statement": []},
                "FileSystemTags": [{"Key": "team", "Value": "x"}],
            },
        },
    }
    for number, zone in enumerate(zones):
        resources[f"Subnet{number}"] = {
            "Type": "AWS::EC2::Subnet",
            "Properties": {
                "VpcId": {"Ref": "Vpc"},
                "CidrBlock": f"10.0.{number + 1}.0/24",
                "AvailabilityZoneId": zone,
            },
        }
        resources[f"Target{number}"] = {
            "Type": "AWS::EFS::MountTarget",
            "Properties": {
                "FileSystemId": {"Ref": "Efs"},
                "SecurityGroups": [{"Fn::GetAtt": ["Group", "GroupId"]}],
                "SubnetId": {"Ref": f"Subnet{number}"},
            },
        }
    return resources


def test_efs_has_a_mount_target_in_each_zone(stand_in: StandIn) -> None:
    """EFS tells state, policy and targets of what a stack made, and forgets them with it."""
    stack = stand_in.create(_efs("usw2-az1", "usw2-az2"), Outputs={"Fs": {"Value": {"Ref": "Efs"}}})
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    efs, file_system_id = stand_in.client("efs"), outputs(stack)["Fs"]
    (told,) = efs.describe_file_systems(FileSystemId=file_system_id)["FileSystems"]
    assert (told["LifeCycleState"], told["Encrypted"], told["ThroughputMode"]) == (
        "available",
        True,
        "elastic",
    )
    assert {"Key": "team", "Value": "x"} in told["Tags"]
    assert (
        json.loads(efs.describe_file_system_policy(FileSystemId=file_system_id)["Policy"])["Statement"] == []
    )
    targets = efs.describe_mount_targets(FileSystemId=file_system_id)["MountTargets"]
    assert {target["AvailabilityZoneId"] for target in targets} == {"usw2-az1", "usw2-az2"}
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_COMPLETE"
    with pytest.raises(ClientError, match="FileSystemNotFound"):
        efs.describe_file_systems(FileSystemId=file_system_id)


def test_a_second_mount_target_in_a_zone_is_refused(stand_in: StandIn) -> None:
    """EFS takes one target a zone."""
    stack = stand_in.create(_efs("usw2-az1", "usw2-az1"))
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "already exists in this AZ" in stand_in.reasons(stack["StackName"])
