"""What is put upon the simulated fleets of the live run, and which alert must tell of it."""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.sandbox.fleet.fault import KINDS
from bedplate.sandbox.telemetry.fault_alerts import ALERTS_BY_FAULT, BY_VALIDATION, UNTOLD
from bedplate.telemetry.alerts.catalogue import alerts

BY_VALIDATION_ALERT = "ValidationFailed"
OPEN_ALERT = "ValidationOpen"


@dataclass(frozen=True)
class Case:
    """One fault or symptom on one node of a cluster. ``alert`` must fire; ``beside`` may."""

    name: str
    alert: str
    beside: tuple[str, ...] = ()
    cluster: str = "main"
    node: int = 0
    nodes: int = 1
    is_fault: bool = True


# Alert → symptom on a node of the main cluster, for alerts that no fault of the sandbox is first to raise.
_ON_A_NODE = {
    "GpuXidReboot": "xid-151-reboot",
    "GpuNvlinkXid": "xid-149-reset",
    "GpuNvlinkXidNoted": "xid-149-monitor",
    "GpuXidUnknown": "xid-999-unknown",
    "GpuDrainPeers": "drain-peers",
    "GpuCorrectedEccRate": "ecc-corrected-rate",
    "GpuReliabilityThrottle": "reliability-throttle",
    "GpuBoardLimitThrottle": "board-limit-throttle",
    "GpuNearSlowdown": "near-slowdown",
    "GpuFabricLimited": "fabric-limited",
    "GpuPcieLinkSlow": "pcie-slow",
    "GpuPcieReplays": "pcie-replays",
    "GpuExporterDown": "dcgm-exporter-gone",
    "NodeExporterDown": "node-exporter-gone",
    "EfaRetransmits": "efa-retransmits",
    "EfaErrors": "efa-drops",
    "NodeFileSystemReadOnly": "disk-read-only",
    "SlurmNodeDrained": "drained-by-others",
    "NodeBootstrapIncomplete": "bootstrap-undone",
    "NodeGateClosed": "gate-closed",
    "ClockNotFollowing": "clock-unsynchronised",
    "JobStalled": "job-stalled",
    "CollectorFailed": "collector-failing",
    "CollectorStale": "collector-stale",
    "TextFileUnreadable": "text-file-unreadable",
    "TargetGrows": "many-series",
}
# Alert → symptom on every node of a cluster of its own, since the alert is about the cluster.
_ON_A_CLUSTER = {
    "ManyNodesDrained": "drained-by-others",
    "SlurmctldDown": "slurmctld-gone",
    "FleetIdle": "no-job",
    "LustreNearlyFull": "lustre-nearly-full",
    "LustreFull": "lustre-full",
    "CapacityEndsInADay": "capacity-ends-today",
    "CapacityEndsSoon": "capacity-ending",
    "ValidationStale": "validation-stale",
    "BusBandwidthFell": "bus-bandwidth-fell",
}
# Symptom → alerts that may fire beside its own.
_BESIDE = {
    "xid-151-reboot": ("GpuRecoveryAction",),
    "job-stalled": ("JobSpins", "TrainingStopped"),
    "capacity-ending": ("CapacityEndsInADay",),
    "lustre-full": ("LustreNearlyFull",),
    "drained-by-others": ("SlurmNodeDrained", "FleetIdle"),
}
MORE_THAN_OWED: dict[str, tuple[str, str]] = {}
"""Symptom → an alert that fires beside its own and should not, and why it does."""
PAGES_TWICE: dict[str, str] = {}
"""Kind that is two pages of one node, and why."""
LOST = "telemetry-lost"
"""A cluster whose targets all vanish: ``TelemetryLost``."""
NOT_LIVE = {
    "ScrapeSlow": "a scrape of ten seconds would need scrapes that are further apart than that",
    "SeriesNearQuota": "it needs eight million series",
}
"""Alert → why no live run raises it; promtool's unit tests do."""
# Kinds and symptoms that need a node with NVSwitches, or one with several Blackwell GPUs.
_PLACES = {
    **dict.fromkeys(("nvlink-errors", "fabric-manager-down"), "hopper"),
    **dict.fromkeys(("nvlink-down", "nvlink-slow", "imex-down", "gpu-slow", "gpu-throttled"), "blackwell"),
    **dict.fromkeys(("gpu-clocks-limited", "fabric-limited", "drain-peers"), "blackwell"),
}
_HOPPER_ALERTS = {"nvlink-errors": ("GpuNvlinkCrc", "GpuNvlinkReplays")}
# Kinds of a whole fabric, and how many nodes must stand in it.
_FABRICS = {"fabric-configuration": 2, "half-configuration": 3, "slow-together": 2, "leaf-slow": 6}
_PAIRS = ("link-slow", "efa-fallback-socket", "wrong-plugin")
"""Kinds that need two nodes in one job."""
HEALTHY_CLUSTER = "healthy"


def cases() -> tuple[Case, ...]:
    """All, with their clusters and nodes. Each case has nodes, and a job, of its own."""
    found: list[Case] = []
    taken = {"main": 0, "hopper": 0, "blackwell": 0}
    for kind in KINDS:
        alert, beside = _expected(kind)
        if kind in UNTOLD:
            found.append(Case(kind, OPEN_ALERT, cluster=f"only-{kind}"))
        elif kind in _FABRICS:
            found.append(Case(kind, alert, beside, cluster=f"only-{kind}", nodes=_FABRICS[kind]))
        else:
            place = _PLACES.get(kind, "main")
            nodes = 2 if kind in _PAIRS else 1
            found.append(Case(kind, alert, beside, cluster=place, node=taken[place], nodes=nodes))
            taken[place] += nodes
    for alert, symptom in _ON_A_NODE.items():
        place = _PLACES.get(symptom, "main")
        beside = _beside(symptom)
        found.append(Case(symptom, alert, beside, place, taken[place], is_fault=False))
        taken[place] += 1
    for alert, symptom in _ON_A_CLUSTER.items():
        place = f"only-{symptom}-{alert}"
        found.append(Case(symptom, alert, _beside(symptom), place, nodes=2, is_fault=False))
    found.append(Case(LOST, "TelemetryLost", cluster=f"only-{LOST}", is_fault=False))
    return tuple(found)


def _beside(symptom: str) -> tuple[str, ...]:
    more = MORE_THAN_OWED.get(symptom)
    return (*_BESIDE.get(symptom, ()), *((more[0],) if more else ()))


def _expected(kind: str) -> tuple[str, tuple[str, ...]]:
    if kind in BY_VALIDATION:
        return BY_VALIDATION_ALERT, ()
    if kind in UNTOLD:
        return OPEN_ALERT, ()
    first, *others = ALERTS_BY_FAULT[kind]
    return first, tuple(others)


def alerts_owed() -> set[str]:
    """Every alert that the live run must see fire: all but those that it cannot."""
    return {each.name for each in alerts()} - set(NOT_LIVE)


def hopper_alerts() -> set[str]:
    """Alerts beside the first of a kind that only the Hopper node raises."""
    return {alert for each in _HOPPER_ALERTS.values() for alert in each}
