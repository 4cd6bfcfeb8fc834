"""FSx file systems and associations, buckets and their policies."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.sandbox.stand_in import StandIn, outputs


def _storage(*associations: tuple[str, str], chained: bool = True) -> dict[str, Any]:
    resources: dict[str, Any] = {
        "Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}},
        "Subnet": {
            "Type": "AWS::EC2::Subnet",
            "Properties": {"VpcId": {"Ref": "Vpc"}, "CidrBlock": "10.0.0.0/24"},
        },
        "Bucket": {"Type": "AWS::S3::Bucket"},
        "Fs": {
            "Type": "AWS::FSx::FileSystem",
            "Properties": {
                "FileSystemType": "LUSTRE",
                "StorageCapacity": 19200,
                "SubnetIds": [{"Ref": "Subnet"}],
                "LustreConfiguration": {
                    "DeploymentType": "PERSISTENT_2",
                    "PerUnitStorageThroughput": 250,
                    "EfaEnabled": True,
                    "MetadataConfiguration": {"Mode": "AUTOMATIC"},
                },
            },
        },
    }
    for index, (path, prefix) in enumerate(associations):
        resources[f"A{index}"] = {
            "Type": "AWS::FSx::DataRepositoryAssociation",
            "Properties": {
                "FileSystemId": {"Ref": "Fs"},
                "FileSystemPath": path,
                "DataRepositoryPath": {"Fn::Sub": "s3://${Bucket}/" + prefix},
            },
        }
    return resources


_OUTPUTS = {
    "Fs": {"Value": {"Ref": "Fs"}},
    "Mount": {"Value": {"Fn::GetAtt": ["Fs", "LustreMountName"]}},
    "Dns": {"Value": {"Fn::GetAtt": ["Fs", "DNSName"]}},
}


def test_file_system_and_associations_are_told(stand_in: StandIn) -> None:
    """What a stack makes, the FSx API describes."""
    stack = stand_in.create(_storage(("/a", "a"), ("/b", "b")), Outputs=_OUTPUTS)
    told = outputs(stack)
    fsx = stand_in.client("fsx")
    file_system = fsx.describe_file_systems(FileSystemIds=[told["Fs"]])["FileSystems"][0]
    assert file_system["LustreConfiguration"]["MountName"] == told["Mount"]
    assert file_system["DNSName"] == told["Dns"]
    assert file_system["LustreConfiguration"]["EfaEnabled"] is True
    filters = [{"Name": "file-system-id", "Values": [told["Fs"]]}]
    associations = fsx.describe_data_repository_associations(Filters=filters)["Associations"]
    assert sorted(association["FileSystemPath"] for association in associations) == ["/a", "/b"]
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_COMPLETE"
    with pytest.raises(ClientError, match="FileSystemNotFound"):
        fsx.describe_file_systems(FileSystemIds=[told["Fs"]])


@pytest.mark.parametrize(
    ("second", "word"), [(("/a/b", "b"), "FileSystemPath"), (("/b", "a/b"), "DataRepositoryPath")]
)
def test_overlapping_associations_are_refused(stand_in: StandIn, second: tuple[str, str], word: str) -> None:
    """A path inside another, on either side, fails the stack."""
    stack = stand_in.create(_storage(("/a", "a"), second))
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert f"{word} " in stand_in.reasons(stack["StackName"])
    assert "overlaps" in stand_in.reasons(stack["StackName"])


def test_association_to_no_bucket_is_refused(stand_in: StandIn) -> None:
    """A bucket that does not exist fails the stack."""
    resources = _storage(("/a", "a"))
    resources["A0"]["Properties"]["DataRepositoryPath"] = "s3://nobody-made-this/x"
    stack = stand_in.create(resources)
    assert "nobody-made-this" in stand_in.reasons(stack["StackName"])
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"


def test_efa_without_metadata_configuration_is_refused(stand_in: StandIn) -> None:
    """FSx takes EFA only with a metadata configuration."""
    resources = _storage()
    del resources["Fs"]["Properties"]["LustreConfiguration"]["MetadataConfiguration"]
    stack = stand_in.create(resources)
    assert "needs a MetadataConfiguration" in stand_in.reasons(stack["StackName"])


def test_file_system_never_shrinks(stand_in: StandIn) -> None:
    """A smaller capacity fails the update, and the stack is as before."""
    resources = _storage()
    resources["Fs"]["Properties"]["StorageCapacity"] = 38400
    stack = stand_in.create(resources)
    resources["Fs"]["Properties"]["StorageCapacity"] = 19200
    updated = stand_in.update(stack["StackName"], resources)
    assert updated["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert "cannot be decreased" in stand_in.reasons(stack["StackName"])


def test_bucket_policy_takes_effect(stand_in: StandIn) -> None:
    """A policy from a stack is on the bucket; a Deny under a condition does not shut it."""
    policy = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Deny",
                "Principal": "*",
                "Action": "s3:*",
                "Resource": "*",
                "Condition": {"Bool": {"aws:SecureTransport": "false"}},
            }
        ],
    }
    stack = stand_in.create(
        {
            "B": {"Type": "AWS::S3::Bucket"},
            "P": {
                "Type": "AWS::S3::BucketPolicy",
                "Properties": {"Bucket": {"Ref": "B"}, "PolicyDocument": policy},
            },
        },
        Outputs={"Name": {"Value": {"Ref": "B"}}},
    )
    s3, name = stand_in.client("s3"), outputs(stack)["Name"]
    assert "SecureTransport" in s3.get_bucket_policy(Bucket=name)["Policy"]
    s3.put_object(Bucket=name, Key="k", Body=b"x")
    assert s3.get_object(Bucket=name, Key="k")["Body"].read() == b"x"


def test_retained_file_system_keeps_its_subnet(stand_in: StandIn) -> None:
    """A retained file system stands in its subnet, and keeps the network until it is deleted."""
    resources = _storage()
    network = {name: resources[name] for name in ("Vpc", "Subnet")}
    exported = {"Subnet": {"Value": {"Ref": "Subnet"}}}
    stand_in.create(network, name="t-network-of-fsx", Outputs=exported)
    file_system = {**resources["Fs"], "DeletionPolicy": "Retain"}
    file_system["Properties"]["SubnetIds"] = [
        {"Fn::GetStackOutput": {"StackName": "t-network-of-fsx", "OutputName": "Subnet"}}
    ]
    storage = stand_in.create({"Fs": file_system}, Outputs={"Fs": _OUTPUTS["Fs"]})
    assert stand_in.delete(storage)["StackStatus"] == "DELETE_COMPLETE"
    network_stack = stand_in.stack("t-network-of-fsx")
    assert stand_in.delete(network_stack)["StackStatus"] == "DELETE_FAILED"
    stand_in.client("fsx").delete_file_system(FileSystemId=outputs(storage)["Fs"])
    assert stand_in.delete(network_stack)["StackStatus"] == "DELETE_COMPLETE"
