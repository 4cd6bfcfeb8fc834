"""NCL-003: the collective over all nodes reaches its floor, with right results."""

from __future__ import annotations

from collections.abc import Sequence

from bedplate.diagnosis.bandwidth_expectation import Expectation
from bedplate.diagnosis.check import ENGINE, Check, efa_between_nodes
from bedplate.diagnosis.checks.bandwidth_rule import judge_bandwidth
from bedplate.diagnosis.checks.collective_run import CollectiveRun
from bedplate.diagnosis.checks.support import Writer
from bedplate.diagnosis.verdict import Outcome, Subject, Verdict
from bedplate.explanation import CheckRow

ROW = CheckRow(
    id="NCL-003",
    title="the collective over all nodes reaches its floor, with right results",
    what="Each collective of `validation.collectives` with one rank a GPU over all nodes: the whole sweep is "
    "there, the table agrees with itself, no element is wrong, and the lower of in-place and out-of-place is "
    "at or above the floor at 1 GiB and at 16 GiB. The floor is the highest that there is: 0.9 × a published "
    "figure, 0.95 × this cluster's stored baseline. Where there is neither, groups of the same nodes are "
    "run, and all together must reach 0.8 × their median, scaled by what the wires allow: the verdict then "
    "says that it is relative only, and below three fifths of what the wires carry it is `not-tested`. The "
    "transport (NCL-002) must be proven by the same log.",
    why="It is the number that training sees, and the last word before a cluster is handed over.",
    fix="The search between nodes (FAB-001, FAB-002) names the node or the link at fault. If it blames "
    "the configuration, compare versions, the security group's self-reference and the placement of the "
    "nodes.",
    by_hand="`srun --nodes=N --ntasks-per-node=8 --gpus-per-node=8 --mpi=pmix all_reduce_perf -b 8 -e "
    "16G -f 2 -g 1 -c 1`, and read the row of the largest size, not the average.",
)


def check(
    *,
    subject: Subject,
    run: CollectiveRun,
    expected: Sequence[Expectation],
    transport: Verdict,
    evidence: Sequence[str] = (),
) -> Verdict:
    """Judge one run at every named size (``expected``, smallest first); a bandwidth over a transport that is
    not proven is an error, however high.
    """
    largest = expected[-1]
    writer = Writer(
        check_id=ROW.id,
        subject=subject,
        evidence=evidence,
        expected=largest.floor_gb_per_s,
        unit="GB/s",
        source=largest.source,
        basis=largest.basis,
    )
    proven = transport.outcome in {Outcome.PASS, Outcome.NOT_APPLICABLE}
    return judge_bandwidth(
        writer=writer,
        run=run,
        expected=expected,
        slow_cause=None,
        unproven=lambda: "" if proven else f"the transport is not: {transport.summary}",
        crash_is_a_fault=transport.outcome is not Outcome.FAIL,
    )


CHECK = Check(row=ROW, stage=ENGINE, applies=efa_between_nodes, subject="cluster")
