"""From all verdicts of a run to one judgement: hand the cluster over, or not, and why.

The rule, fail closed. A run is passed only if it is complete, looked at one node or more (a preflight looks
at none), required one check or more, and every required check that is not waived has a pass, or a
not-applicable, for every node. A check of the whole cluster needs its verdict about the cluster. Fail,
not-tested, error, and a verdict that is missing are not a pass, whatever other verdicts say; and a node for
which nothing was a pass is not proven.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bedplate.diagnosis.bandwidth_expectation import RELATIVE
from bedplate.diagnosis.causes import cause
from bedplate.diagnosis.checks import CHECKS, CLUSTER_CHECKS
from bedplate.diagnosis.verdict import CLUSTER, Outcome, Subject, Verdict
from bedplate.hardware import UnknownInstanceType, instance_type
from bedplate.validation.result import RunResult, Waiver


@dataclass(frozen=True)
class Fault:
    """What is wrong with one subject, and every verdict that shows it.

    ``cause`` is an id of ``bedplate.diagnosis.causes``, or ``None`` where a check failed and no kind of
    fault could be named. ``check_id`` is the check that names it first; ``remedy`` is one or more sentences
    in the imperative.
    """

    subject: Subject
    cause: str | None
    check_id: str
    verdicts: tuple[Verdict, ...]
    remedy: str


@dataclass(frozen=True)
class Missing:
    """A required check that has no verdict about a subject that it owes one."""

    check_id: str
    subject: Subject


@dataclass(frozen=True)
class Judgement:
    """One run, judged.

    ``headline`` is one sentence; ``reasons`` are the sentences that say, one by one, why it is not a pass
    (empty for a pass). ``counts`` holds how many verdicts had each outcome, waived ones left out.
    ``unproven`` are the verdicts of checks that could not be made (error, or not-tested though required).
    ``waived`` pairs each waiver with what its check said, so that a page can show what is being overlooked.
    """

    passed: bool
    headline: str
    reasons: tuple[str, ...]
    counts: dict[Outcome, int]
    faults: tuple[Fault, ...]
    unproven: tuple[Verdict, ...]
    missing: tuple[Missing, ...]
    waived: tuple[tuple[Waiver, tuple[Verdict, ...]], ...]


def judge(*, result: RunResult) -> Judgement:
    """Judge a run; pure, and deterministic in the order of ``result``."""
    waivers = {w.check_id: w for w in result.waivers if w.reason.strip()}
    required = tuple(dict.fromkeys(c for c in result.required_checks if c not in waivers))
    standing = tuple(v for v in result.verdicts if v.check_id not in waivers)
    faults = _faults(standing)
    unproven = _unproven(result, standing, required)
    missing = _missing(result, standing, required)
    reasons = tuple(_reasons(result, required, standing, faults, unproven, missing))
    counts = Counter(v.outcome for v in standing)
    return Judgement(
        passed=not reasons,
        headline=_headline(result, required, reasons, faults, unproven, missing),
        reasons=reasons,
        counts={outcome: counts[outcome] for outcome in Outcome},
        faults=faults,
        unproven=unproven,
        missing=missing,
        waived=tuple(
            (waiver, tuple(v for v in result.verdicts if v.check_id == waiver.check_id))
            for waiver in waivers.values()
        ),
    )


def subjects_owed(*, result: RunResult, check_id: str) -> tuple[Subject, ...]:
    """The subjects that a check owes a verdict: the cluster, or each node."""
    if result.kind == "preflight" or check_id in CLUSTER_CHECKS:
        return (CLUSTER,)
    return tuple(Subject("node", (node.node,)) for node in result.nodes)


def _faults(verdicts: Iterable[Verdict]) -> tuple[Fault, ...]:
    """Failed verdicts gathered by subject and cause; named causes first, then in the order of the run."""
    groups: dict[tuple[Subject, str], list[Verdict]] = {}
    for verdict in verdicts:
        if verdict.outcome is Outcome.FAIL:
            # Without a cause, two failed checks are two faults: nothing says that they are one.
            key = verdict.cause or f"check:{verdict.check_id}"
            groups.setdefault((verdict.subject, key), []).append(verdict)
    faults = [
        Fault(
            subject=subject,
            cause=group[0].cause,
            check_id=group[0].check_id,
            verdicts=tuple(group),
            remedy=next((v.remedy for v in group if v.remedy), _usual_remedy(group[0].cause)),
        )
        for (subject, _), group in groups.items()
    ]
    return tuple(sorted(faults, key=lambda fault: fault.cause is None))


def _usual_remedy(cause_id: str | None) -> str:
    row = cause(cause_id) if cause_id else None
    return row.remedy if row else ""


def _unproven(
    result: RunResult, verdicts: Iterable[Verdict], required: tuple[str, ...]
) -> tuple[Verdict, ...]:
    types = {node.node: node.instance_type for node in result.nodes}
    return tuple(
        v
        for v in verdicts
        if v.outcome is Outcome.ERROR
        or (v.outcome is Outcome.NOT_TESTED and v.check_id in required)
        or (v.outcome is Outcome.NOT_APPLICABLE and result.kind == "validate" and _applies(v, types))
    )


def _applies(verdict: Verdict, types: Mapping[str, str]) -> bool:
    """Whether the hardware table says that the check applies, so that "not applicable" is no answer.

    ``types`` is node → instance type. A type that is not in the table excuses nothing.
    """
    names = verdict.subject.names or tuple(types)
    for type_name in {types.get(name, "") for name in names}:
        try:
            kind = instance_type(type_name)
        except UnknownInstanceType:
            return True
        if any(check.id == verdict.check_id and check.applies(kind, len(types)) for check in CHECKS):
            return True
    return False


def _missing(
    result: RunResult, verdicts: tuple[Verdict, ...], required: tuple[str, ...]
) -> tuple[Missing, ...]:
    # A preflight's verdicts are about pools, zones, roles; each check owes one, whatever its subject.
    preflight = result.kind == "preflight"
    told = {(v.check_id, CLUSTER if preflight else v.subject) for v in verdicts}
    return tuple(
        Missing(check_id, subject)
        for check_id in required
        for subject in subjects_owed(result=result, check_id=check_id)
        if (check_id, subject) not in told
    )


def _reasons(
    result: RunResult,
    required: tuple[str, ...],
    standing: tuple[Verdict, ...],
    faults: tuple[Fault, ...],
    unproven: tuple[Verdict, ...],
    missing: tuple[Missing, ...],
) -> Iterable[str]:
    if faults:
        yield _found(result, faults)
    if unproven:
        yield from _reasons_unproven(Counter(v.outcome for v in unproven))
    if missing:
        yield f"{_count(len(missing), 'required check')} {'has' if len(missing) == 1 else 'have'} no verdict."
    if not result.complete:
        yield "The run was cut off before its end."
    if not required:
        yield "No check was required, so nothing was proven."
    if result.kind == "validate":
        yield from _reasons_about_nodes(result, standing)


def _reasons_unproven(counts: Mapping[Outcome, int]) -> Iterable[str]:
    if errors := counts.get(Outcome.ERROR, 0):
        yield f"{_count(errors, 'check')} gave no answer that can be judged."
    if untested := counts.get(Outcome.NOT_TESTED, 0):
        yield f"{_count(untested, 'required check')} {'was' if untested == 1 else 'were'} not tested."
    if excused := counts.get(Outcome.NOT_APPLICABLE, 0):
        yield f"{_count(excused, 'check')} said not-applicable where the hardware table says that it applies."


def _reasons_about_nodes(result: RunResult, standing: tuple[Verdict, ...]) -> Iterable[str]:
    if not result.nodes:
        yield "No node was seen, so nothing was proven."
    repeated = [name for name, count in Counter(n.node for n in result.nodes).items() if count > 1]
    if repeated:
        yield f"The run lists a node more than once: {', '.join(repeated)}."
    # Guards against a run in which everything about a node was called not applicable.
    proven = {v.subject.names for v in standing if v.outcome is Outcome.PASS and v.subject.kind == "node"}
    if any((node.node,) not in proven for node in result.nodes):
        bare = sum((node.node,) not in proven for node in result.nodes)
        yield f"For {_count(bare, 'node')} no check at all was a pass."


def _headline(
    result: RunResult,
    required: tuple[str, ...],
    reasons: tuple[str, ...],
    faults: tuple[Fault, ...],
    unproven: tuple[Verdict, ...],
    missing: tuple[Missing, ...],
) -> str:
    if not reasons:
        scope = f" on {_count(len(result.nodes), 'node')}" if result.kind == "validate" else ""
        relative = sorted(
            {v.check_id for v in result.verdicts if v.basis == RELATIVE and v.outcome is Outcome.PASS}
        )
        mark = f" {', '.join(relative)} by comparison with the fleet itself only." if relative else ""
        return f"All {_count(len(required), 'required check')} passed{scope}.{mark}"
    if faults:
        return reasons[0]
    open_ends = len(unproven) + len(missing)
    if open_ends:
        return f"No fault was found, but {_count(open_ends, 'required check')} could not be made."
    return f"No fault was found, but the run proves nothing: {reasons[0][0].lower()}{reasons[0][1:]}"


def _found(result: RunResult, faults: tuple[Fault, ...]) -> str:
    named = [fault for fault in faults if fault.cause]
    more = len(faults) - len(named)
    if result.kind == "preflight":
        return f"{_count(len(faults), 'check')} failed."
    if not named:
        return f"{_count(more, 'check')} failed{_where(result, faults)}; no cause could be named."
    also = f"; {_count(more, 'more check')} failed" if more else ""
    return f"{_count(len(named), 'fault')} named{_where(result, tuple(named))}{also}."


def _where(result: RunResult, faults: tuple[Fault, ...]) -> str:
    seen = {node.node for node in result.nodes}
    hit = {name for fault in faults for name in fault.subject.names} & seen
    return f" on {len(hit)} of {_count(len(seen), 'node')}" if hit else ""


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
