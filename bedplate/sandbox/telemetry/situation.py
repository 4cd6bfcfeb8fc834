"""What a node is in beside its faults: its work, and what alerts watch but no validation looks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True)
class Situation:
    """Every field's default is healthy and at work. Rates are per second, GPUs are named by index."""

    at_work: bool = True
    stalled: bool = False
    slow_clock_gpu: int = -1
    xids: tuple[tuple[int, str, int], ...] = ()
    """(code, policy by the line in full, GPU), beside those of the node's faults."""
    corrected_errors: float = 0.0
    pcie_replays: float = 0.0
    nvlink_crc: float = 0.0
    power_brake: bool = False
    near_slowdown: bool = False
    dcgm_exporter_gone: bool = False
    node_exporter_gone: bool = False
    stale_collector: str = ""
    failing_collector: str = ""
    unreadable_text_file: bool = False
    clock_unsynchronised: bool = False
    drain: str = ""
    """Whose drain Slurm has the node in: ``ours``, ``other``, or empty for none."""
    slurm_down: bool = False
    bootstrap_undone: bool = False
    gate_closed: bool = False
    efa_rates: tuple[tuple[str, float], ...] = ()
    """Counter of EFA → its rise a second on each device."""
    capacity_ends_in_s: float = 0.0
    """0 for a node that is not of a Capacity Block."""
    validation_failed: bool = False
    validation_age_s: float = 3_600.0
    disk_kept_share: float = 1.0
    lustre_kept_share: float = 1.0
    read_only: bool = False
    recovery_action: int = 0
    throttled_for: str = ""
    """``reliability`` or ``board``: what else than heat and power slows its first GPU down."""
    fabric_limited: bool = False
    slow_pcie: bool = False
    slurmctld_gone: bool = False
    bus_bandwidth_factor: float = 1.0
    many_series: int = 0
    few_huge_pages: bool = False
    failed_unit: str = ""
    step_factor: float = 1.0
    lustre_factor: float = 1.0
    waiting_requests: int = 0


HEALTHY = Situation()

_Change = Callable[[Situation], Mapping[str, Any]]


def _sets(**changes: Any) -> _Change:
    return lambda _: changes


# What can be injected beside the faults of validation's model, by name.
_CHANGES: dict[str, _Change] = {
    "no-job": _sets(at_work=False),
    "job-stalled": _sets(stalled=True),
    "gpu-straggler": _sets(slow_clock_gpu=3),
    "ecc-corrected-rate": _sets(corrected_errors=5.0),
    "pcie-replays": _sets(pcie_replays=4.0),
    "nvlink-crc": _sets(nvlink_crc=40.0),
    "power-brake": _sets(power_brake=True),
    "near-slowdown": _sets(near_slowdown=True),
    "dcgm-exporter-gone": _sets(dcgm_exporter_gone=True),
    "node-exporter-gone": _sets(node_exporter_gone=True),
    "collector-stale": _sets(stale_collector="efa"),
    "collector-failing": _sets(failing_collector="lustre"),
    "text-file-unreadable": _sets(unreadable_text_file=True),
    "clock-unsynchronised": _sets(clock_unsynchronised=True),
    "drained-by-bedplate": _sets(drain="ours", at_work=False),
    "drained-by-others": _sets(drain="other", at_work=False),
    "slurm-down": _sets(slurm_down=True, at_work=False),
    "bootstrap-undone": _sets(bootstrap_undone=True, at_work=False),
    "gate-closed": _sets(gate_closed=True, at_work=False),
    "capacity-ending": _sets(capacity_ends_in_s=1_200.0),
    "validation-failed": _sets(validation_failed=True),
    "validation-stale": _sets(validation_age_s=30 * 86_400.0),
    "disk-filling": _sets(disk_kept_share=0.02),
    "disk-read-only": _sets(read_only=True),
    "lustre-nearly-full": _sets(lustre_kept_share=0.08),
    "lustre-full": _sets(lustre_kept_share=0.01),
    "drain-peers": _sets(recovery_action=3),
    "reliability-throttle": _sets(throttled_for="reliability"),
    "board-limit-throttle": _sets(throttled_for="board"),
    "fabric-limited": _sets(fabric_limited=True),
    "pcie-slow": _sets(slow_pcie=True),
    "slurmctld-gone": _sets(slurmctld_gone=True),
    "bus-bandwidth-fell": _sets(bus_bandwidth_factor=0.7),
    "many-series": _sets(many_series=6_000),
    "capacity-ends-today": _sets(capacity_ends_in_s=43_200.0),
    "unit-failed": _sets(failed_unit="slurmd"),
    "slow-steps": _sets(step_factor=2.0),
    "lustre-busy": _sets(lustre_factor=12.0),
    "requests-waiting": _sets(waiting_requests=400),
}
_EFA_STORMS = {
    "efa-drops": "rx_drops",
    "efa-read-errors": "rdma_read_wr_err",
    "efa-write-errors": "rdma_write_wr_err",
    "efa-unresponsive-remote": "unresponsive_remote_events",
    "efa-impaired-remote": "impaired_remote_conn_events",
    "efa-retransmit-timeouts": "retrans_timeout_events",
    "efa-retransmits": "retrans_pkts",
    "efa-retransmitted-bytes": "retrans_bytes",
}

SYMPTOMS = MappingProxyType({**dict.fromkeys(_CHANGES, ""), **_EFA_STORMS})
"""Names that ``with_symptom`` takes, besides ``xid-CODE-POLICY``; the value is EFA's counter where it is of
one.
"""
_STORM = {"retrans_pkts": 4_000.0, "retrans_bytes": 4_000_000.0}
_OTHER_STORM = 400.0


class UnknownSymptom(ValueError):
    """There is no symptom of this name."""


def with_symptom(situation: Situation, name: str) -> Situation:
    """The situation with one symptom more: of ``SYMPTOMS``, or ``xid-CODE-POLICY`` for any line of the kernel
    log. Raises ``UnknownSymptom``.
    """
    if name in _EFA_STORMS:
        counter = _EFA_STORMS[name]
        rate = (counter, _STORM.get(counter, _OTHER_STORM))
        return replace(situation, efa_rates=(*situation.efa_rates, rate))
    kind, _, rest = name.partition("-")
    code, _, policy = rest.partition("-")
    if kind == "xid" and code.isdigit() and policy:
        return replace(situation, xids=(*situation.xids, (int(code), policy, 0)))
    if name not in _CHANGES:
        raise UnknownSymptom(f"{name} is no symptom; allowed are {', '.join(SYMPTOMS)} and xid-CODE-POLICY")
    return replace(situation, **_CHANGES[name](situation))
