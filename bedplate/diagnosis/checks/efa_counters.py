"""EFA-003: under load no EFA device counts an error."""

from __future__ import annotations

from collections.abc import Sequence

from bedplate.diagnosis.check import EXERCISE, Check, has_efa
from bedplate.diagnosis.checks.support import Writer, node_subject, warning
from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.loopback import Loopback, LoopbackReport, read_loopbacks
from bedplate.diagnosis.parsers.efa_counters import EVENTS, SIGNALS
from bedplate.diagnosis.verdict import Finding, Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType

NEEDED = ("retrans_timeout_events", "unresponsive_remote_events", "impaired_remote_conn_events")

ROW = CheckRow(
    id="EFA-003",
    title="under load no EFA device counts an error",
    what="The counters of each device, read before and after its loopback: `retrans_timeout_events`, "
    "`unresponsive_remote_events`, `impaired_remote_conn_events`, `rdma_read_wr_err` and "
    "`rdma_write_wr_err` must not rise. `rx_drops` and `retrans_pkts` are told as findings: AWS publishes "
    "no limit for any of them, so that none is the rule is our choice, unverified on hardware.",
    why="A port that says active proves nothing, for EFA ports always do. What the device itself counts "
    "under load tells a bad path apart from slow software.",
    fix="Validate again; if the same device counts again, drain the node and replace the instance.",
    by_hand="`grep . /sys/class/infiniband/*/ports/1/hw_counters/{retrans,unresponsive,impaired}*`, or "
    "`rdma -p statistic show`, before and after a load: only what rises counts.",
)


def check(
    *, node: str, report: LoopbackReport, instance_type: InstanceType, evidence: Sequence[str] = ()
) -> Verdict:
    """Fail where an error was counted, error where a device was not counted under load, else pass."""
    writer = Writer(check_id=ROW.id, subject=node_subject(node), evidence=evidence, expected=0, unit="events")
    wanted = instance_type.efa_count
    if wanted == 0:
        return writer.not_applicable(f"{instance_type.name} has no EFA")
    loops = report.loops
    if not loops:
        return writer.error(f"No counters were read under load: {report.problem}")
    bad = [loop for loop in loops if loop.rise is not None and loop.rise.risen(EVENTS)]
    if bad:
        return writer.failed(
            f"{len(bad)} of {wanted} EFA devices counted errors under load",
            cause="efa-errors",
            measured=sum(value for loop in bad if loop.rise for _, value in loop.rise.risen(EVENTS)),
            lines=map(_describe, bad),
            findings=_findings(loops),
        )
    unknown = [loop for loop in loops if not loop.proven or not _tells(loop)]
    if unknown:
        return writer.error(
            f"{len(unknown)} of {wanted} EFA devices were not counted under load", lines=map(_why, unknown)
        )
    if not report.devices == len(loops) == wanted:
        return writer.error(f"{report.devices} of {wanted} EFA devices were counted under load")
    return writer.passed(
        f"All {wanted} EFA devices carried their load without an error", measured=0, findings=_findings(loops)
    )


def _tells(loop: Loopback) -> bool:
    return loop.rise is not None and all(loop.rise.of(name) is not None for name in NEEDED)


def _why(loop: Loopback) -> str:
    if not loop.proven:
        return f"{loop.device}: {loop.problem or loop.uncounted or 'it did not count what was sent'}"
    return f"{loop.device}: the driver has no {' and no '.join(NEEDED)}; it is too old"


def _describe(loop: Loopback) -> str:
    rises = () if loop.rise is None else loop.rise.risen(EVENTS)
    return f"{loop.device}: " + ", ".join(f"{name} rose by {value}" for name, value in rises)


def _findings(loops: Sequence[Loopback]) -> list[Finding]:
    told = [
        f"{loop.device}: {name} rose by {value}"
        for loop in loops
        if loop.rise is not None
        for name, value in loop.rise.risen(SIGNALS)
    ]
    return (
        [warning("; ".join(told[:6]), remedy="Watch these devices; no limit is published.")] if told else []
    )


def _promised(expected: NodeExpectation) -> bool:
    return expected.throughput


def _judge(facts: NodeFacts) -> Verdict:
    return check(
        node=facts.node,
        report=read_loopbacks(facts.answer),
        instance_type=facts.instance_type,
        evidence=facts.evidence,
    )


CHECK = Check(row=ROW, stage=EXERCISE, applies=has_efa, promised=_promised, judge=_judge)
