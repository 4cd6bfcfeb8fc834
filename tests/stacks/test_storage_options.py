"""Every option of a file system in the environment file reaches its resource: expected values by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
KEY = "arn:aws:kms:us-west-2:123456789012:key/01234567-89ab-cdef-0123-456789abcdef"
COMMON = {"kms_key": KEY, "maintenance": "7:03:30"}
FILE_SYSTEMS: list[dict[str, Any]] = [
    {
        **COMMON,
        "kind": "lustre",
        "mount": "/ssd",
        "capacity_gib": 4800,
        "throughput_mbps_per_tib": 1000,
        "efa": True,
        "metadata_iops": 24000,
        "compression": "none",
        "backup_days": 9,
        "logs": "error",
    },
    {
        "kind": "lustre",
        "mount": "/tied",
        "capacity_gib": 1200,
        "throughput_mbps_per_tib": 500,
        "efa": False,
        "associations": [{"path": "/in", "bucket": "acme-data", "prefix": "v3/raw/", "import": ["new"]}],
    },
    {
        **COMMON,
        "kind": "lustre-tiering",
        "mount": "/cold",
        "throughput_mbps": 8000,
        "read_cache_gib": 640,
        "efa": False,
        "metadata_iops": 12000,
        "compression": "none",
        "backup_days": 5,
        "logs": "none",
    },
    {
        **COMMON,
        "kind": "openzfs",
        "mount": "/code",
        "capacity_gib": 96,
        "throughput_mbps": 320,
        "deployment": "single-az-2",
        "compression": "zstd",
        "backup_days": 3,
    },
    {"kind": "efs", "mount": "/apps", "throughput": "bursting", "backup": False, "kms_key": KEY},
]
"""No value is the default, so that one that is not handed on is missed."""


@pytest.fixture(scope="module")
def storage(assembly_of: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The demo with these file systems."""
    data = yaml.safe_load((ROOT / "environments/demo.yaml").read_text(encoding="utf-8"))
    data["storage"] = {"file_systems": FILE_SYSTEMS}
    file = tmp_path_factory.mktemp("options") / "options.yaml"
    file.write_text(yaml.safe_dump(data), encoding="utf-8")
    return assembly_of(file)


def _of(storage: Any, mount: str, type_: str) -> dict[str, Any]:
    (found,) = (
        each["Properties"]
        for key, each in storage.resources("storage", type_).items()
        if key.startswith(f"FileSystem{mount}")
    )
    properties: dict[str, Any] = found
    return properties


def _lustre(storage: Any, mount: str) -> tuple[dict[str, Any], dict[str, Any]]:
    found = _of(storage, mount, "AWS::FSx::FileSystem")
    return found, found["LustreConfiguration"]


def test_options_of_lustre(storage: Any) -> None:
    """Size, throughput, EFA, metadata, compression, key, backups, window and log level."""
    found, lustre = _lustre(storage, "ssd")
    assert (found["StorageType"], found["StorageCapacity"], found["KmsKeyId"]) == ("SSD", 4800, KEY)
    assert (lustre["DeploymentType"], lustre["PerUnitStorageThroughput"]) == ("PERSISTENT_2", 1000)
    assert lustre["EfaEnabled"] is True
    assert lustre["MetadataConfiguration"] == {"Mode": "USER_PROVISIONED", "Iops": 24000}
    assert lustre["DataCompressionType"] == "NONE"
    assert lustre["AutomaticBackupRetentionDays"] == 9
    assert lustre["WeeklyMaintenanceStartTime"] == "7:03:30"
    assert lustre["LogConfiguration"]["Level"] == "ERROR"


def test_a_tie_names_bucket_and_prefix(storage: Any) -> None:
    """The prefix is part of what is tied; what is not asked for does not travel."""
    found, lustre = _lustre(storage, "tied")
    assert (found["StorageCapacity"], lustre["PerUnitStorageThroughput"], lustre["EfaEnabled"]) == (
        1200,
        500,
        False,
    )
    tie = _of(storage, "tiedAssociations", "AWS::FSx::DataRepositoryAssociation")
    assert (tie["FileSystemPath"], tie["DataRepositoryPath"]) == ("/in", "s3://acme-data/v3/raw/")
    assert tie["S3"] == {"AutoImportPolicy": {"Events": ["NEW"]}}


def test_options_of_tiering(storage: Any) -> None:
    """Throughput, cache, EFA, metadata, compression, key, backups, window and no log."""
    found, lustre = _lustre(storage, "cold")
    assert (found["StorageType"], found["KmsKeyId"]) == ("INTELLIGENT_TIERING", KEY)
    assert lustre["ThroughputCapacity"] == 8000
    assert lustre["DataReadCacheConfiguration"] == {"SizingMode": "USER_PROVISIONED", "SizeGiB": 640}
    assert lustre["EfaEnabled"] is False
    assert lustre["MetadataConfiguration"] == {"Mode": "USER_PROVISIONED", "Iops": 12000}
    assert lustre["DataCompressionType"] == "NONE"
    assert lustre["AutomaticBackupRetentionDays"] == 5
    assert lustre["WeeklyMaintenanceStartTime"] == "7:03:30"
    assert lustre["LogConfiguration"] == {"Level": "DISABLED"}


def test_options_of_openzfs(storage: Any) -> None:
    """Size, throughput, deployment, compression, key, backups and window."""
    found = _of(storage, "code", "AWS::FSx::FileSystem")
    zfs = found["OpenZFSConfiguration"]
    assert (found["StorageCapacity"], found["KmsKeyId"]) == (96, KEY)
    assert (zfs["ThroughputCapacity"], zfs["DeploymentType"]) == (320, "SINGLE_AZ_2")
    assert zfs["RootVolumeConfiguration"]["DataCompressionType"] == "ZSTD"
    assert zfs["AutomaticBackupRetentionDays"] == 3
    assert zfs["WeeklyMaintenanceStartTime"] == "7:03:30"


def test_options_of_efs(storage: Any) -> None:
    """Throughput, backups and key."""
    found = _of(storage, "apps", "AWS::EFS::FileSystem")
    assert (found["ThroughputMode"], found["KmsKeyId"]) == ("bursting", KEY)
    assert found["BackupPolicy"] == {"Status": "DISABLED"}


def test_every_kind_of_node_mounts_every_file_system(storage: Any) -> None:
    """GPU nodes and login nodes alike are told of all of them, in the file's order."""
    told = {}
    for key, template in storage.resources("orchestration", "AWS::EC2::LaunchTemplate").items():
        pieces = template["Properties"]["LaunchTemplateData"]["UserData"]["Fn::Base64"]["Fn::Join"][1]
        text = "".join(piece if isinstance(piece, str) else "token" for piece in pieces)
        (settings,) = (line for line in text.splitlines() if line.startswith('{"version":'))
        told[key[:4]] = [mount["path"] for mount in json.loads(settings)["mounts"]]
    wanted = [each["mount"] for each in FILE_SYSTEMS]
    assert told == {"Pool": wanted, "Logi": wanted}
