"""CLK-001: the node's clock is right, and something keeps it so."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bedplate.diagnosis import host_tools
from bedplate.diagnosis.check import PROBE, Check
from bedplate.diagnosis.checks.support import LOOK_AGAIN, Writer, node_subject, warning
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.chronyc_tracking import ClockTracking, parse_chronyc_tracking
from bedplate.diagnosis.reading import Reading, read_tool
from bedplate.diagnosis.verdict import Verdict
from bedplate.explanation import CheckRow

MOST_MS = 100.0
TOLD_MS = 10.0
STALE_SECONDS = 3600.0

ROW = CheckRow(
    id="CLK-001",
    title="the clock is right, and something keeps it so",
    what="`chronyc -c tracking` names a source that was heard within the last hour, and the clock is off by "
    "at most 100 ms: offset, root dispersion and half of the root delay together, as chrony itself bounds "
    "the error. From 10 ms on it is a finding. Both limits are our choice, unverified: AWS publishes none, "
    "and its time service keeps clocks within about a millisecond.",
    why="Logs of many nodes are read side by side to find which failed first; Slurm's MUNGE refuses "
    "credentials, and AWS signatures, that are minutes off.",
    fix="See that chrony runs and uses 169.254.169.123 (the EC2 User Guide says how), then "
    "`chronyc makestep`.",
    by_hand="`chronyc tracking` and `chronyc sources -v`.",
)


def check(
    *,
    node: str,
    tracking: Reading[ClockTracking],
    asked_at_epoch: float | None = None,
    evidence: Sequence[str] = (),
) -> Verdict:
    """Fail where nothing keeps the clock or it is off by too much, error where chrony does not tell.

    ``asked_at_epoch`` is the node's own time when it answered, None where it did not say.
    """
    writer = Writer(
        check_id=ROW.id, subject=node_subject(node), evidence=evidence, expected=MOST_MS, unit="ms"
    )
    clock = tracking.record
    if clock is None or tracking.problem:
        return writer.error(
            f"The clock cannot be judged: {tracking.problem}", remedy=_remedy(tracking.problem)
        )
    bound_ms = round(clock.error_bound_seconds * 1000.0, 3)
    lines = [_describe(clock)]
    if not clock.synchronised:
        return writer.failed("Nothing keeps the clock", cause="clock-wrong", lines=lines)
    if bound_ms > MOST_MS:
        return writer.failed(
            f"The clock is off by up to {bound_ms:g} ms", cause="clock-wrong", measured=bound_ms, lines=lines
        )
    if asked_at_epoch is None:
        return writer.error("The node did not say when it answered", measured=bound_ms, lines=lines)
    age_seconds = asked_at_epoch - clock.measured_at_epoch
    if age_seconds > STALE_SECONDS:
        return writer.failed(
            f"The clock was last compared {age_seconds / 60:.0f} minutes ago",
            cause="clock-wrong",
            measured=bound_ms,
            lines=lines,
        )
    findings = [warning(f"the clock is off by up to {bound_ms:g} ms")] if bound_ms > TOLD_MS else []
    return writer.passed(
        f"The clock is within {bound_ms:g} ms of {clock.reference}",
        measured=bound_ms,
        findings=findings,
        lines=lines,
    )


def _describe(clock: ClockTracking) -> str:
    return (
        f"source {clock.reference or 'none'} ({clock.reference_id}), stratum {clock.stratum}, {clock.leap}: "
        f"offset {clock.offset_seconds:.6f} s, root delay {clock.root_delay_seconds:.6f} s, root dispersion "
        f"{clock.root_dispersion_seconds:.6f} s"
    )


def _remedy(problem: str) -> str:
    if "No such file" in problem:
        return "Install chrony on the image, with 169.254.169.123 as its source, then validate again."
    if "Cannot talk to daemon" in problem:
        return "Start chrony (`systemctl enable --now chronyd`, on Ubuntu `chrony`), then validate again."
    return LOOK_AGAIN


def _asked_at(facts: NodeFacts) -> float | None:
    moment = facts.answer.get("finished_at")
    try:
        found = datetime.fromisoformat(moment) if isinstance(moment, str) else None
    except ValueError:
        return None
    return None if found is None or found.tzinfo is None else found.timestamp()


def _judge(facts: NodeFacts) -> Verdict:
    return check(
        node=facts.node,
        tracking=read_tool(answer=facts.answer, argv=host_tools.CLOCK, parse=parse_chronyc_tracking),
        asked_at_epoch=_asked_at(facts),
        evidence=facts.evidence,
    )


CHECK = Check(row=ROW, stage=PROBE, judge=_judge, keeps_out=False)
