"""NCL-001: all-reduce inside the node reaches its floor, with right results."""

from __future__ import annotations

from collections.abc import Sequence

from bedplate.diagnosis.bandwidth_expectation import Expectation
from bedplate.diagnosis.check import ENGINE, Check
from bedplate.diagnosis.checks.bandwidth_rule import judge_bandwidth
from bedplate.diagnosis.checks.collective_run import CollectiveRun
from bedplate.diagnosis.checks.support import Writer, node_subject
from bedplate.diagnosis.verdict import Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType

ROW = CheckRow(
    id="NCL-001",
    title="the collective inside the node reaches its floor, with right results",
    what="`all_reduce_perf -b 8 -e 16G -f 2 -g 8 -c 1`: the whole sweep is there, the table agrees with "
    "itself, its ratio proves the number of GPUs, no element is wrong, and the lower of in-place and "
    "out-of-place at the largest size is at or above the floor.",
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
    return judge_bandwidth(
        writer=writer, run=run, expected=expected, slow_cause="nvlink-slow", unproven=lambda: _doubt(run)
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
