"""What FSx refuses of a Lustre file system, and what it tells of one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bedplate.sandbox.cloudformation.errors import ResourceError

_EFA_STEP_GIB = {125: 38_400, 250: 19_200, 500: 9_600, 1000: 4_800}
_TIERING_STEP_MBPS = 4_000
_PORT = 988


def check_lustre(properties: Mapping[str, Any]) -> None:
    """What FSx refuses: EFA without its conditions, and sizes off its steps.

    Source: FSx for Lustre User Guide, EFA-enabled file systems
    (https://docs.aws.amazon.com/fsx/latest/LustreGuide/efa-file-systems.html), and the FSx API reference.
    """
    lustre = properties.get("LustreConfiguration") or {}
    if properties.get("StorageType") == "INTELLIGENT_TIERING":
        _check_tiering(properties, lustre)
    if lustre.get("EfaEnabled") not in (True, "true"):
        return
    if lustre.get("DeploymentType") != "PERSISTENT_2":
        raise ResourceError("BadRequest: EfaEnabled needs DeploymentType PERSISTENT_2")
    if not lustre.get("MetadataConfiguration"):
        raise ResourceError("BadRequest: EfaEnabled needs a MetadataConfiguration")
    speed, size = lustre.get("PerUnitStorageThroughput"), int(properties.get("StorageCapacity", 0))
    step = _EFA_STEP_GIB.get(int(speed or 0))
    if step and size % step:
        raise ResourceError(
            f"BadRequest: with EFA at {speed} MB/s/TiB StorageCapacity goes in steps of {step}"
        )


def _check_tiering(properties: Mapping[str, Any], lustre: Mapping[str, Any]) -> None:
    if properties.get("StorageCapacity"):
        raise ResourceError("BadRequest: INTELLIGENT_TIERING takes no StorageCapacity")
    throughput = int(lustre.get("ThroughputCapacity", 0))
    if throughput < _TIERING_STEP_MBPS or throughput % _TIERING_STEP_MBPS:
        raise ResourceError(
            f"BadRequest: ThroughputCapacity {throughput} is no multiple of {_TIERING_STEP_MBPS}"
        )
    cache = lustre.get("DataReadCacheConfiguration")
    if not cache:
        raise ResourceError("BadRequest: INTELLIGENT_TIERING needs a DataReadCacheConfiguration")
    if (cache.get("SizingMode") == "USER_PROVISIONED") != ("SizeGiB" in cache):
        raise ResourceError("BadRequest: SizeGiB goes with SizingMode USER_PROVISIONED")
    if (lustre.get("MetadataConfiguration") or {}).get("Mode") != "USER_PROVISIONED":
        raise ResourceError("BadRequest: INTELLIGENT_TIERING needs USER_PROVISIONED metadata")


def check_ports(groups: list[Any], *, efa: bool) -> None:
    """FSx tries the ports between its servers when the file system is made (aws-parallelcluster #6181).

    ``groups`` are moto's; with EFA they must admit one another by id, for all traffic, in and out.
    """
    own = {group.id for group in groups}
    for name in ("ingress_rules", "egress_rules"):
        rules = [rule for group in groups for rule in getattr(group, name)]
        if not any(_admits(rule, own, efa=efa) for rule in rules):
            way = "in" if name == "ingress_rules" else "out"
            raise ResourceError(
                f"BadRequest: the security groups {', '.join(sorted(own))} do not let "
                f"{'all traffic' if efa else f'port {_PORT}'} {way} between the file system's servers"
            )


def _admits(rule: Any, own: set[str], *, efa: bool) -> bool:
    by_id = (rule.source_group or {}).get("GroupId") in own
    if str(rule.ip_protocol) == "-1":
        return by_id or (not efa and bool(rule.ip_range))
    if efa or str(rule.ip_protocol) not in ("tcp", "6"):
        return False
    covers = int(rule.from_port or 0) <= _PORT <= int(rule.to_port or 0)
    return covers and (by_id or bool(rule.ip_range))


def lustre_of(properties: Mapping[str, Any], *, mount_name: str) -> dict[str, Any]:
    """``LustreConfiguration`` as DescribeFileSystems tells it."""
    lustre = dict(properties.get("LustreConfiguration") or {})
    told = {
        "MountName": mount_name,
        "DeploymentType": lustre.get("DeploymentType"),
        "PerUnitStorageThroughput": lustre.get("PerUnitStorageThroughput"),
        "ThroughputCapacity": lustre.get("ThroughputCapacity"),
        "DataReadCacheConfiguration": lustre.get("DataReadCacheConfiguration"),
        "EfaEnabled": lustre.get("EfaEnabled") in (True, "true"),
        "DataCompressionType": lustre.get("DataCompressionType", "NONE"),
        "MetadataConfiguration": lustre.get("MetadataConfiguration"),
        "AutomaticBackupRetentionDays": lustre.get("AutomaticBackupRetentionDays"),
        "WeeklyMaintenanceStartTime": lustre.get("WeeklyMaintenanceStartTime"),
    }
    return {name: value for name, value in told.items() if value is not None}
