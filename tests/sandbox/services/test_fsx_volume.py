"""Volumes of OpenZFS by the API."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.sandbox.stand_in import StandIn


@pytest.fixture
def root(stand_in: StandIn) -> dict[str, Any]:
    """The root volume of a file system."""
    ec2, fsx = stand_in.client("ec2"), stand_in.client("fsx")
    vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.9.0.0/24", AvailabilityZoneId="usw2-az2")["Subnet"]
    made = fsx.create_file_system(
        FileSystemType="OPENZFS",
        StorageCapacity=64,
        SubnetIds=[subnet["SubnetId"]],
        OpenZFSConfiguration={"DeploymentType": "SINGLE_AZ_2", "ThroughputCapacity": 160},
    )["FileSystem"]
    filters = [{"Name": "file-system-id", "Values": [made["FileSystemId"]]}]
    (volume,) = fsx.describe_volumes(Filters=filters)["Volumes"]
    found: dict[str, Any] = volume
    return found


def _create(stand_in: StandIn, parent: str, name: str, **more: Any) -> dict[str, Any]:
    made: dict[str, Any] = stand_in.client("fsx").create_volume(
        VolumeType="OPENZFS", Name=name, OpenZFSConfiguration={"ParentVolumeId": parent, **more}
    )["Volume"]
    return made


def test_a_volume_lies_below_its_parent(stand_in: StandIn, root: dict[str, Any]) -> None:
    """Its path continues the parent's, and so do its exports where none are given."""
    models = _create(stand_in, root["VolumeId"], "models")
    exports = [{"ClientConfigurations": [{"Clients": "*", "Options": ["ro"]}]}]
    deep = _create(stand_in, models["VolumeId"], "old", NfsExports=exports)
    assert models["OpenZFSConfiguration"]["VolumePath"] == "/fsx/models"
    assert models["OpenZFSConfiguration"]["NfsExports"] == root["OpenZFSConfiguration"]["NfsExports"]
    assert deep["OpenZFSConfiguration"]["VolumePath"] == "/fsx/models/old"
    assert deep["OpenZFSConfiguration"]["NfsExports"] == exports
    filters = [{"Name": "file-system-id", "Values": [root["FileSystemId"]]}]
    assert len(stand_in.client("fsx").describe_volumes(Filters=filters)["Volumes"]) == 3


def test_a_second_of_one_path_and_an_unknown_parent_are_refused(
    stand_in: StandIn, root: dict[str, Any]
) -> None:
    """As FSx refuses them."""
    _create(stand_in, root["VolumeId"], "models")
    with pytest.raises(ClientError, match="already"):
        _create(stand_in, root["VolumeId"], "models")
    with pytest.raises(ClientError, match="VolumeNotFound"):
        _create(stand_in, "fsvol-01234567890123456", "models")
