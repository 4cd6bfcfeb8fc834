"""EFS: encryption, TLS, mount targets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Synthesise = Callable[[Any], dict[str, Any]]
SUBNETS = {"usw2-az2": "subnet-gpu", "usw2-az1": "subnet-control"}


def _build(stack: Any, **props: Any) -> None:
    from bedplate.constructs.efs_file_system import EfsFileSystem

    given: dict[str, Any] = {"subnet_ids": SUBNETS, **props}
    EfsFileSystem(stack, "Home", vpc_id="vpc-1", client_group_id="sg-clients", **given)


def _of(template: dict[str, Any], type_: str) -> dict[str, dict[str, Any]]:
    return {key: each for key, each in template["Resources"].items() if each["Type"] == type_}


def test_without_tls_nobody_comes_in(synthesise: Synthesise) -> None:
    """The policy denies everything in clear text, and allows clients by a mount target only."""
    (file_system,) = _of(synthesise(_build), "AWS::EFS::FileSystem").values()
    properties = file_system["Properties"]
    assert properties["Encrypted"] is True
    by_sid = {each["Sid"]: each for each in properties["FileSystemPolicy"]["Statement"]}
    assert by_sid["TlsOnly"]["Effect"] == "Deny"
    assert by_sid["TlsOnly"]["Action"] == "*"
    assert by_sid["TlsOnly"]["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    allowed = by_sid["ByMountTarget"]
    assert allowed["Condition"] == {"Bool": {"elasticfilesystem:AccessedViaMountTarget": "true"}}
    assert all(action.startswith("elasticfilesystem:Client") for action in allowed["Action"])


def test_each_zone_has_one_mount_target_that_waits_for_the_rules(synthesise: Synthesise) -> None:
    """A target in each subnet, under the file system's own group, made after the rules, and kept."""
    template = synthesise(_build)
    targets = _of(template, "AWS::EFS::MountTarget")
    rules = _of(template, "AWS::EC2::SecurityGroupIngress") | _of(template, "AWS::EC2::SecurityGroupEgress")
    assert {each["Properties"]["SubnetId"] for each in targets.values()} == set(SUBNETS.values())
    assert len(rules) == 2
    for target in targets.values():
        assert set(target["DependsOn"]) == set(rules)
    assert {each["DeletionPolicy"] for each in template["Resources"].values()} == {"RetainExceptOnCreate"}


@pytest.mark.parametrize(("backup", "status"), [(True, "ENABLED"), (False, "DISABLED")])
def test_backup_throughput_and_key_are_those_given(synthesise: Synthesise, backup: bool, status: str) -> None:
    """What the props say is what the template says."""
    template = synthesise(
        lambda stack: _build(stack, backup=backup, throughput="bursting", kms_key_arn="arn:aws:kms:r:1:key/2")
    )
    (file_system,) = _of(template, "AWS::EFS::FileSystem").values()
    assert file_system["Properties"]["BackupPolicy"] == {"Status": status}
    assert file_system["Properties"]["ThroughputMode"] == "bursting"
    assert file_system["Properties"]["KmsKeyId"] == "arn:aws:kms:r:1:key/2"


def test_no_subnet_is_refused(synthesise: Synthesise) -> None:
    """A file system that nobody could mount is not made."""
    with pytest.raises(ValueError, match="subnet_ids"):
        synthesise(lambda stack: _build(stack, subnet_ids={}))
