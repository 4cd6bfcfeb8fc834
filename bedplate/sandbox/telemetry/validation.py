"""What the last validation of a simulated cluster left as metrics: the real report of a result that names the
faults that the fleet carries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from bedplate.diagnosis.verdict import CLUSTER, Outcome, Subject, Verdict
from bedplate.sandbox.fleet.consequences import NAMED_AS, must_be_named
from bedplate.sandbox.fleet.fault import Fault
from bedplate.telemetry.exposition import Sample
from bedplate.validation.reports.prometheus import run_samples
from bedplate.validation.result import Bandwidth, NodeResult, RunResult

# Cause → the check that names it; Xids by GPU-004.
_CHECKS = {
    "efa-device-lost": "EFA-001",
    "efa-device-slow": "FAB-001",
    "efa-fallback-socket": "NCL-002",
    "gpu-lost": "GPU-001",
    "gpu-other-model": "GPU-001",
    "row-remap-failure": "GPU-003",
    "ecc-uncorrected": "GPU-002",
    "nvlink-down": "NVL-001",
    "nvlink-slow": "NCL-001",
    "dcgm-hardware": "DCG-002",
    "link-slow": "FAB-002",
    "leaf-slow": "FAB-002",
    "fabric-configuration": "FAB-001",
    "slow-together": "NCL-003",
    "node-unreachable": "NOD-001",
    "collective-hang": "NCL-003",
    "collective-crash": "NCL-003",
    "efa-device-faulty": "EFA-002",
    "efa-errors": "EFA-003",
    "gdrcopy-off": "GDR-001",
    "clock-wrong": "CLK-001",
    "huge-pages-missing": "NOD-003",
    "software-incompatible": "VER-001",
    "version-skew": "VER-002",
    "pcie-degraded": "GPU-005",
    "gpu-throttled": "GPU-006",
    "gpu-clocks-limited": "GPU-006",
    "persistence-off": "GPU-007",
    "fabric-manager-down": "GPU-007",
    "gpu-slow": "DCG-005",
    "gpu-memory-slow": "DCG-006",
    "nvlink-errors": "NVL-002",
    "imex-down": "IMX-001",
    "nvme-disk-lost": "NVM-001",
    "scratch-volume": "NVM-001",
    "nvme-slow": "NVM-002",
    "file-system-not-mounted": "FSX-001",
    "file-system-unreachable": "FSX-001",
    "file-system-slow": "FSX-002",
    "association-broken": "FSX-003",
    "lustre-over-tcp": "FSX-001",
    "lnet-efa-missing": "FSX-001",
}
_XID_CHECK = "GPU-004"
_OPEN_CHECK = "NOD-001"
"""What stays open where a node's answer is not whole."""
_TOOK_S = 1_260.0


def named_by(cause: str) -> tuple[str, str]:
    """(check, cause) by which a validation names a kind of fault; the cause is empty where it stays open."""
    if not must_be_named(cause):
        return _OPEN_CHECK, ""
    named = NAMED_AS.get(cause, cause)
    return (_XID_CHECK if named.startswith("xid-") else _CHECKS[named]), named


def validation_samples(
    *,
    faults: Sequence[tuple[Fault, tuple[str, ...]]],
    nodes: Sequence[tuple[str, str, str]],
    environment: str,
    ended_s: float,
    speed: float = 1.0,
) -> Iterator[Sample]:
    """Of a run that ended at ``ended_s`` since 1970. ``faults`` are those that it found, each with its
    instances; ``nodes`` are (instance id, pool, type); ``speed`` is a factor of the bandwidths.
    """
    verdicts = [_verdict(fault, subjects) for fault, subjects in faults]
    blamed = {name for each in verdicts for name in each.subject.names}
    verdicts += [
        Verdict("GPU-001", Subject("node", (node,)), Outcome.PASS, "All GPUs answer")
        for node, _, _ in nodes
        if node not in blamed
    ]
    ids = [node for node, _, _ in nodes]
    result = RunResult(
        kind="validate",
        environment=environment,
        account="123456789012",
        region="us-west-2",
        simulated=True,
        started_at=datetime.fromtimestamp(ended_s - _TOOK_S, UTC).isoformat(),
        finished_at=datetime.fromtimestamp(ended_s, UTC).isoformat(),
        complete=True,
        required_checks=sorted({each.check_id for each in verdicts}),
        nodes=[NodeResult(node=node, pool=pool, instance_type=kind) for node, pool, kind in nodes],
        verdicts=verdicts,
        bandwidths=[_bandwidth(ids, name, value * speed) for name, value in _BANDWIDTHS.items()],
        rounds=[],
        waivers=[],
    )
    yield from run_samples(result)


_BANDWIDTHS = {"all_reduce": 472.0, "all_gather": 361.0}


def _bandwidth(nodes: list[str], collective: str, value: float) -> Bandwidth:
    return Bandwidth(
        collective=collective,
        scope="all-nodes",
        nodes=nodes,
        ranks=8 * len(nodes),
        size_bytes=2**34,
        busbw_gb_per_s=value,
        floor_gb_per_s=None,
        ceiling_gb_per_s=None,
    )


def _verdict(fault: Fault, subjects: tuple[str, ...]) -> Verdict:
    check, named = named_by(fault.cause)
    scope = "node" if len(subjects) == 1 else "link" if fault.kind.scope == "link" else "cluster"
    subject = CLUSTER if scope == "cluster" else Subject(scope, subjects)
    outcome = Outcome.FAIL if named else Outcome.ERROR
    return Verdict(check, subject, outcome, f"SIMULATED: {fault.cause}", cause=named or None)
