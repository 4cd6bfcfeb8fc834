"""OpenZFS: its properties, export and refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Synthesise = Callable[[Any], dict[str, Any]]


def _build(stack: Any, **props: Any) -> None:
    from bedplate.constructs.openzfs_file_system import OpenZfsFileSystem

    given: dict[str, Any] = {"capacity_gib": 1_024, "throughput_mbps": 640, **props}
    OpenZfsFileSystem(
        stack, "Home", vpc_id="vpc-1", subnet_id="subnet-1", client_group_id="sg-clients", **given
    )


def _resource(template: dict[str, Any]) -> dict[str, Any]:
    (found,) = [each for each in template["Resources"].values() if each["Type"] == "AWS::FSx::FileSystem"]
    return dict(found)


def _export(template: dict[str, Any]) -> list[str]:
    root = _resource(template)["Properties"]["OpenZFSConfiguration"]["RootVolumeConfiguration"]
    (export,) = root["NfsExports"]
    (client,) = export["ClientConfigurations"]
    options: list[str] = client["Options"]
    return options


def test_root_is_let_through_unless_told_otherwise(synthesise: Synthesise) -> None:
    """A new volume belongs to root, and somebody has to make the first folder in it."""
    assert "no_root_squash" in _export(synthesise(_build))
    squashed = _export(synthesise(lambda stack: _build(stack, squash_root=True)))
    assert "root_squash" in squashed
    assert "no_root_squash" not in squashed


@pytest.mark.parametrize(
    ("deployment", "type_"), [("single-az-2", "SINGLE_AZ_2"), ("single-az-ha-2", "SINGLE_AZ_HA_2")]
)
def test_it_stands_in_one_subnet(synthesise: Synthesise, deployment: str, type_: str) -> None:
    """Neither deployment in one zone takes a preferred subnet or route tables."""
    properties = _resource(synthesise(lambda stack: _build(stack, deployment=deployment)))["Properties"]
    zfs = properties["OpenZFSConfiguration"]
    assert properties["SubnetIds"] == ["subnet-1"]
    assert (zfs["DeploymentType"], zfs["ThroughputCapacity"]) == (type_, 640)
    assert not {"PreferredSubnetId", "RouteTableIds", "EndpointIpAddressRange"} & set(zfs)
    assert (zfs["AutomaticBackupRetentionDays"], zfs["CopyTagsToBackups"]) == (7, True)


def test_every_option_is_that_of_the_file_system(synthesise: Synthesise) -> None:
    """Compression, key, backups and maintenance window are those given."""
    options = {
        "compression": "zstd",
        "kms_key_arn": "arn:aws:kms:us-west-2:123456789012:key/1",
        "backup_days": 0,
        "maintenance": "7:03:30",
    }
    properties = _resource(synthesise(lambda stack: _build(stack, **options)))["Properties"]
    zfs = properties["OpenZFSConfiguration"]
    assert properties["KmsKeyId"] == options["kms_key_arn"]
    assert zfs["WeeklyMaintenanceStartTime"] == "7:03:30"
    assert zfs["AutomaticBackupRetentionDays"] == 0
    assert "CopyTagsToBackups" not in zfs
    assert zfs["RootVolumeConfiguration"]["DataCompressionType"] == "ZSTD"


def test_only_clients_reach_the_nfs_port_and_the_rules_come_first(synthesise: Synthesise) -> None:
    """One port, from one group, out of it and in here; the file system waits for both."""
    template = synthesise(_build)
    rules = {
        key: each["Properties"]
        for key, each in template["Resources"].items()
        if each["Type"] in ("AWS::EC2::SecurityGroupIngress", "AWS::EC2::SecurityGroupEgress")
    }
    assert len(rules) == 2
    assert {(rule["IpProtocol"], rule["FromPort"], rule["ToPort"]) for rule in rules.values()} == {
        ("tcp", 2049, 2049)
    }
    assert set(_resource(template)["DependsOn"]) == set(rules)
    assert {each["DeletionPolicy"] for each in template["Resources"].values()} == {"RetainExceptOnCreate"}


@pytest.mark.parametrize(
    ("props", "message"),
    [
        ({"capacity_gib": 63}, "64 to 524288"),
        ({"capacity_gib": 524_289}, "64 to 524288"),
        ({"throughput_mbps": 64}, "allowed are 160, 320"),
        ({"throughput_mbps": 12_800}, "10240"),
    ],
)
def test_what_openzfs_refuses_does_not_synthesise(
    synthesise: Synthesise, props: dict[str, Any], message: str
) -> None:
    """Sizes and throughputs that FSx does not have are refused with those it has."""
    with pytest.raises(ValueError, match=message):
        synthesise(lambda stack: _build(stack, **props))
