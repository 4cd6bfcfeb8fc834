"""The axes that legal environments differ along, as plain data: networks, file systems, the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Data = dict[str, Any]
ACCOUNT = "123456789012"


@dataclass(frozen=True)
class Net:
    """A network section, and the Region it lies in; ``dallas`` is where UltraServers are sold."""

    region: str
    section: Data

    @property
    def dallas(self) -> bool:
        """Whether the nodes stand in the Local Zone."""
        return "dfw" in self.section["zone"]


def _vpc(**more: Any) -> Data:
    return {
        "id": "vpc-0123456789abcdef0",
        "gpu_subnet": "subnet-0123456789abcdef0",
        "control_subnets": ["subnet-0123456789abcdef1", "subnet-0123456789abcdef2"],
        **more,
    }


_OREGON = {"zone": "usw2-az2", "control_zones": ["usw2-az1", "usw2-az2"]}
_BESIDE = {"zone": "usw2-az3", "control_zones": ["usw2-az1", "usw2-az2"]}
_DALLAS = {"zone": "use1-dfw2-az1", "control_zones": ["use1-az4", "use1-az6"]}
_OWN = {"cidr": "10.40.0.0/16"}
_CREATED = {"endpoints": "create", "route_tables": ["rtb-0123456789abcdef0"]}

NETWORKS: Mapping[str, Net] = {
    "own": Net("us-west-2", {**_OREGON, **_OWN}),
    "own beside the control zones": Net("us-west-2", {**_BESIDE, **_OWN}),
    "own closed": Net("us-west-2", {**_OREGON, **_OWN, "internet": "none"}),
    "given": Net("us-west-2", {**_OREGON, "vpc": _vpc()}),
    "given with a group": Net("us-west-2", {**_OREGON, "vpc": _vpc(fabric_group="sg-0123456789abcdef0")}),
    "given closed": Net("us-west-2", {**_OREGON, "vpc": _vpc(), "internet": "none"}),
    "given closed, endpoints made": Net(
        "us-west-2", {**_OREGON, "vpc": _vpc(**_CREATED), "internet": "none"}
    ),
    "Dallas": Net("us-east-1", {**_DALLAS, **_OWN}),
    "Dallas closed": Net("us-east-1", {**_DALLAS, **_OWN, "internet": "none"}),
    "Dallas given": Net("us-east-1", {**_DALLAS, "vpc": _vpc()}),
}


def _key(region: str) -> str:
    return f"arn:aws:kms:{region}:{ACCOUNT}:key/01234567-89ab-cdef-0123-456789abcdef"


_GROUP = {"security_group": "sg-0123456789abcdef1"}
_EVENTS = ["new", "changed", "deleted"]


def storages(region: str) -> Mapping[str, list[Data]]:
    """Lists of file systems by what they are about; ``region`` is that of keys."""
    key = _key(region)
    lustre = {"kind": "lustre", "mount": "/fsx", "capacity_gib": 38400}
    tiering = {"kind": "lustre-tiering", "mount": "/data", "throughput_mbps": 4000}
    zfs = {"kind": "openzfs", "mount": "/home", "capacity_gib": 512}
    efs = {"kind": "efs", "mount": "/code"}
    old_lustre = {
        "kind": "existing-lustre",
        "mount": "/old",
        "id": "fs-0123456789abcdef0",
        "mount_name": "fsx",
    }
    old_zfs = {"kind": "existing-openzfs", "mount": "/tools", "id": "fs-0123456789abcdef1"}
    old_efs = {"kind": "existing-efs", "mount": "/docs", "id": "fs-0123456789abcdef2"}
    made = {"path": "/made", "bucket": "create", "import": _EVENTS, "export": _EVENTS}
    given = {"path": "/given", "bucket": "acme-data", "prefix": "v3/", "chunk_mib": 4096}
    return {
        "none": [],
        "Lustre": [{**lustre, "metadata_iops": 12000, "associations": [made, given]}],
        "Lustre, backups": [{**lustre, "kms_key": key, "backup_days": 7, "maintenance": "7:03:30"}],
        "Lustre by TCP": [{**lustre, "efa": False, "compression": "none", "logs": "none"}],
        "Lustre by TCP, tied": [{**lustre, "efa": False, "associations": [made]}],
        "tiering": [{**tiering, "read_cache_gib": 20000, "metadata_iops": 12000}],
        "tiering by TCP": [{**tiering, "read_cache_gib": 0, "efa": False, "backup_days": 7, "kms_key": key}],
        "OpenZFS home": [{**zfs, "deployment": "single-az-ha-2"}],
        "OpenZFS": [{**zfs, "mount": "/zfs", "deployment": "single-az-2", "backup_days": 0, "kms_key": key}],
        "EFS": [efs],
        "EFS bursting": [{**efs, "throughput": "bursting", "backup": False, "kms_key": key}],
        "one new of each": [lustre, {**tiering, "read_cache_gib": 20000}, zfs, efs],
        "two of a kind": [lustre, {**lustre, "mount": "/second", "efa": False}, {**zfs, "mount": "/zfs"}],
        "existing": [
            {**old_lustre, "efa": True, **_GROUP},
            {**old_zfs, **_GROUP, "options": ["nfsvers=4.1", "nconnect=16"]},
            {**old_efs, **_GROUP},
        ],
        "existing by TCP": [{**old_lustre, **_GROUP}, {**old_zfs, **_GROUP}],
        "existing in the fabric's group": [{**old_lustre, "efa": True}, old_zfs, old_efs],
        "existing and new": [{**old_zfs, **_GROUP}, {**lustre, "efa": False}, zfs],
    }


REST: tuple[Data, ...] = (
    {},
    {
        "tags": {"team": "foundation-models", "cost center": "42"},
        "orchestrator": {"accounting": False, "slurm_version": "24.11"},
        "storage": {"local_nvme": "none"},
    },
    {
        "orchestrator": {"slurm_version": "25.05", "login": {"nodes": 3}},
        "observability": {
            "retention_days": 1095,
            "max_series": 5_000_000,
            "alerts": {
                "emails": ["gpu-oncall@example.com", "two@example.com"],
                "pagerduty": {"secret": "arn:aws:secretsmanager:us-west-2:123456789012:secret:pd-AbCdEf"},
            },
        },
        "storage": {"buckets": {"old_versions_days": 7, "infrequent_access_days": 90}},
    },
    {
        "orchestrator": {"slurm_version": "26.05", "rest_api": True},
        "validation": {
            "dcgm_level": 1,
            "waivers": [{"check": "DCG-002", "reason": "level 2 runs on Sundays"}],
        },
    },
)
"""What else a file may say; taken in turn, since none of it changes what another axis makes."""
