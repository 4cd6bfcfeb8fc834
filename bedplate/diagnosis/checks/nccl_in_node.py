"""NCL-001: all-reduce inside the node reaches its floor, with right results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bedplate.diagnosis.bandwidth_expectation import RELATIVE, Expectation, Reference, Shape, expectations
from bedplate.diagnosis.causes import cause as cause_by_id
from bedplate.diagnosis.check import ENGINE, Check
from bedplate.diagnosis.checks.bandwidth_rule import judge_bandwidth
from bedplate.diagnosis.checks.collective_run import CollectiveRun
from bedplate.diagnosis.checks.support import Writer, node_subject, warning
from bedplate.diagnosis.checks.told_failures import told_failures
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType

_COLLECTIVE = "all_reduce"

ROW = CheckRow(
    id="NCL-001",
    title="the collective inside the node reaches its floor, with right results",
    what="`all_reduce_perf -b 8 -e 16G -f 2 -g 8 -c 1`: the whole sweep is there, the table agrees with "
    "itself, its ratio and NCCL's own lines prove the number of GPUs, no element is wrong, and the lower of "
    "in-place and out-of-place is at or above the floor at 1 GiB and at 16 GiB. With three nodes or more "
    "each must also reach nine tenths of their median; where nothing is published for the type that is the "
    "only measure, and the verdict says that it is relative only.",
    why="NVLink and NVSwitch faults show here and nowhere else on a single node. The sweep's average "
    "depends on the sizes chosen and says nothing.",
    fix="Look at NVL-001 and at the fabric manager. If both are well, drain the node and replace the "
    "instance.",
    by_hand="Run the same command on the node without jobs, and read the row of 17179869184 bytes.",
)


def check(
    *, node: str, run: CollectiveRun, expected: Sequence[Expectation], evidence: Sequence[str] = ()
) -> Verdict:
    """Judge one run of one process that drove every GPU of the node; ``expected`` goes by size, upwards."""
    largest = expected[-1]
    writer = Writer(
        check_id=ROW.id,
        subject=node_subject(node),
        evidence=evidence,
        expected=largest.floor_gb_per_s,
        unit="GB/s",
        source=largest.source,
        basis=largest.basis,
    )
    verdict = judge_bandwidth(
        writer=writer, run=run, expected=expected, slow_cause="nvlink-slow", unproven=lambda: _doubt(run)
    )
    # What is not tested for want of a floor may pass beside its peers, and keeps its findings then.
    if verdict.outcome in {Outcome.PASS, Outcome.NOT_TESTED}:
        return replace(verdict, findings=(*verdict.findings, *told_failures(run.info)))
    return verdict


def beside_peers(
    *,
    verdict: Verdict,
    busbw_gb_per_s: float,
    peers: Reference,
    instance_type: InstanceType,
    slow_cause: str = "nvlink-slow",
) -> Verdict:
    """The same verdict, held to what the other nodes reached in the same run, in GB/s at the largest size.

    A pass fails where the node is well below them, and a node for whose type nothing is published passes by
    them, as relative only; whatever else the verdict says stays.
    """
    shape = Shape(instance_type, _COLLECTIVE, 1)
    bound = expectations(shape=shape, reference=peers)[-1]
    unsourced = verdict.outcome is Outcome.NOT_TESTED and verdict.expected is None
    if bound.basis != RELATIVE or not (verdict.outcome is Outcome.PASS or unsourced):
        return verdict
    if isinstance(verdict.expected, (int, float)) and verdict.expected >= (bound.floor_gb_per_s or 0.0):
        return verdict
    told = replace(verdict, expected=bound.floor_gb_per_s, source=bound.source, basis=RELATIVE)
    row = cause_by_id(slow_cause)
    if bound.floor_gb_per_s is not None and busbw_gb_per_s < bound.floor_gb_per_s:
        return replace(
            told,
            outcome=Outcome.FAIL,
            summary=f"{busbw_gb_per_s:g} GB/s is below nine tenths of its peers ({bound.floor_gb_per_s:g})",
            cause=slow_cause,
            remedy=row.remedy if row else "",
        )
    if not unsourced or busbw_gb_per_s < bound.plausible_gb_per_s:
        return verdict
    only = warning(
        "Relative only: no published figure and no baseline holds for this type inside a node, so that nodes "
        "which are all slow alike would pass",
        remedy="Store what you accept as this cluster's baseline: `bedplate baseline accept`.",
    )
    return replace(
        told,
        outcome=Outcome.PASS,
        summary=f"{busbw_gb_per_s:g} GB/s, at or above nine tenths of its peers",
        remedy="",
        findings=(*verdict.findings, only),
    )


def _doubt(run: CollectiveRun) -> str:
    """NCCL must tell of every GPU, and of no way out of the node."""
    if run.info is None:
        return "NCCL tells nothing, so that the number of GPUs is proven by the table's ratios alone"
    told = {comm.ranks for comm in run.info.comms} - {run.asked.ranks}
    if told:
        return f"NCCL tells of {min(told)} ranks, asked were {run.asked.ranks}"
    if run.info.net_channels:
        return f"it went over the network: {run.info.net_channels[0].text}"
    if not run.ranks_proven:
        return f"NCCL and the table do not both prove {run.asked.ranks} ranks"
    return ""


def _has_two_gpus(instance_type: InstanceType, _nodes: int) -> bool:
    return instance_type.gpus > 1


CHECK = Check(row=ROW, stage=ENGINE, applies=_has_two_gpus)
