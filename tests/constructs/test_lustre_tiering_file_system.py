"""Intelligent-Tiering: its properties and refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Synthesise = Callable[[Any], dict[str, Any]]


def _build(stack: Any, **props: Any) -> None:
    from bedplate.constructs.lustre_tiering_file_system import LustreTieringFileSystem

    given: dict[str, Any] = {"throughput_mbps": 4_000, "read_cache_gib": 20_000, **props}
    LustreTieringFileSystem(
        stack, "Archive", vpc_id="vpc-1", subnet_id="subnet-1", client_group_id="sg-clients", **given
    )


def _properties(template: dict[str, Any]) -> dict[str, Any]:
    (found,) = [each for each in template["Resources"].values() if each["Type"] == "AWS::FSx::FileSystem"]
    assert found["DeletionPolicy"] == "RetainExceptOnCreate"
    properties: dict[str, Any] = found["Properties"]
    return properties


def test_it_has_throughput_and_cache_and_no_capacity(synthesise: Synthesise) -> None:
    """FSx refuses a capacity here, and asks for throughput, read cache and provisioned metadata."""
    properties = _properties(synthesise(_build))
    lustre = properties["LustreConfiguration"]
    assert properties["StorageType"] == "INTELLIGENT_TIERING"
    assert "StorageCapacity" not in properties
    assert "PerUnitStorageThroughput" not in lustre
    assert lustre["ThroughputCapacity"] == 4_000
    assert lustre["DataReadCacheConfiguration"] == {"SizingMode": "USER_PROVISIONED", "SizeGiB": 20_000}
    assert lustre["MetadataConfiguration"] == {"Mode": "USER_PROVISIONED", "Iops": 6_000}
    assert lustre["EfaEnabled"] is True


def test_without_cache_the_mode_says_so(synthesise: Synthesise) -> None:
    """0 GiB is no cache, which FSx asks for by name and without a size."""
    lustre = _properties(synthesise(lambda stack: _build(stack, read_cache_gib=0)))["LustreConfiguration"]
    assert lustre["DataReadCacheConfiguration"] == {"SizingMode": "NO_CACHE"}


def test_every_option_is_that_of_the_file_system(synthesise: Synthesise) -> None:
    """EFA, compression, key, backups, maintenance window and log level are those given."""
    options = {
        "efa": False,
        "compression": "none",
        "kms_key_arn": "arn:aws:kms:us-west-2:123456789012:key/1",
        "backup_days": 7,
        "maintenance": "7:03:30",
        "log_level": "error",
    }
    properties = _properties(synthesise(lambda stack: _build(stack, **options)))
    lustre = properties["LustreConfiguration"]
    assert properties["KmsKeyId"] == options["kms_key_arn"]
    assert lustre["EfaEnabled"] is False
    assert lustre["DataCompressionType"] == "NONE"
    assert lustre["AutomaticBackupRetentionDays"] == 7
    assert lustre["CopyTagsToBackups"] is True
    assert lustre["WeeklyMaintenanceStartTime"] == "7:03:30"
    assert lustre["LogConfiguration"]["Level"] == "ERROR"


def test_it_waits_for_every_rule(synthesise: Synthesise) -> None:
    """FSx checks its ports when it is made, so no rule may come later; with EFA there are six."""
    resources = synthesise(_build)["Resources"]
    rules = {key for key, each in resources.items() if each["Type"].startswith("AWS::EC2::SecurityGroup")}
    (group,) = [key for key in rules if resources[key]["Type"] == "AWS::EC2::SecurityGroup"]
    (found,) = [each for each in resources.values() if each["Type"] == "AWS::FSx::FileSystem"]
    assert set(found["DependsOn"]) == rules - {group}
    assert len(rules - {group}) == 6


@pytest.mark.parametrize(
    ("props", "message"),
    [
        ({"throughput_mbps": 6_000}, "multiple of 4000"),
        ({"throughput_mbps": 0}, "multiple of 4000"),
        ({"throughput_mbps": 2_004_000}, "up to 2000000"),
        ({"read_cache_gib": 31}, "0 or 32 to 131072"),
        ({"read_cache_gib": 131_073}, "0 or 32 to 131072"),
        ({"metadata_iops": 24_000}, "6000 and 12000"),
    ],
)
def test_what_tiering_refuses_does_not_synthesise(
    synthesise: Synthesise, props: dict[str, Any], message: str
) -> None:
    """Steps, cache and metadata out of FSx's range are refused with what is allowed."""
    with pytest.raises(ValueError, match=message):
        synthesise(lambda stack: _build(stack, **props))
