"""Compare what was injected with what a validation named.

``python -m bedplate.sandbox.fleet.comparison INJECTED.json RESULT.json`` exits 0 only if they are equal.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bedplate.diagnosis.checks import CLUSTER_CHECKS
from bedplate.diagnosis.verdict import Outcome, Subject, Verdict
from bedplate.errors import ExitCode
from bedplate.sandbox.fleet.consequences import (
    ABOUT_THE_FLEET,
    HALF,
    NAMED_AS,
    UNNAMED,
    consequences,
    may_stay_open,
    must_be_named,
)
from bedplate.validation.result import RunResult


@dataclass(frozen=True, order=True)
class Blame:
    """One cause on one subject; ``subjects`` are instance ids, sorted, none where all nodes are meant.

    ``cause`` is empty where a check failed on a healthy subject and named no cause.
    """

    cause: str
    subjects: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.cause or 'a fault without a name'} on {' ↔ '.join(self.subjects) or 'the cluster'}"


@dataclass(frozen=True)
class Comparison:
    """``matched`` was injected and named; ``explained`` was named and is a consequence of what was injected.

    ``unusable`` says why the two cannot be compared at all; empty where they can.
    """

    matched: tuple[Blame, ...]
    explained: tuple[Blame, ...]
    missed: tuple[Blame, ...]
    wrongly_blamed: tuple[Blame, ...]
    unusable: tuple[str, ...] = ()

    @property
    def equal(self) -> bool:
        """Whether what was named is what was injected: nothing missed, nobody wrongly blamed."""
        return not (self.missed or self.wrongly_blamed or self.unusable)

    def lines(self) -> list[str]:
        """The comparison for people, one line a finding."""
        return [
            *(f"found           {blame}" for blame in self.matched),
            *(f"consequence     {blame}" for blame in self.explained),
            *(f"MISSED          {blame}" for blame in self.missed),
            *(f"WRONGLY BLAMED  {blame}" for blame in self.wrongly_blamed),
            *(f"NOT COMPARABLE  {text}" for text in self.unusable),
        ]


def compare(injected: Mapping[str, Any], result: RunResult) -> Comparison:
    """Compare ``injected.json`` (``bedplate.sandbox.fleet.binding``) with the result of one validation."""
    present = [Blame(row["cause"], tuple(sorted(row["subjects"]))) for row in injected["faults"]]
    expected = {
        Blame(NAMED_AS.get(blame.cause, blame.cause), blame.subjects)
        for blame in present
        if must_be_named(blame.cause)
    }
    unnamed = {blame for blame in present if blame.cause in UNNAMED}
    allowed = set(_allowed(present))
    named = set(_named(result.verdicts, expected | unnamed))
    return Comparison(
        matched=_sorted(named & expected),
        explained=_sorted(named & allowed - expected),
        missed=_sorted(expected - named),
        wrongly_blamed=_sorted(named - expected - allowed),
        unusable=tuple(_obstacles(injected, result, expected, unnamed)),
    )


def _allowed(faults: Iterable[Blame]) -> Iterable[Blame]:
    """What may be named beside these faults: on their subjects, or on each node of an odd half."""
    for blame in faults:
        for cause in consequences(blame.cause):
            yield Blame(cause, () if cause in ABOUT_THE_FLEET else blame.subjects)
            if blame.cause == HALF:
                yield Blame(cause, ())
                yield from (Blame(cause, (subject,)) for subject in blame.subjects)


def _named(verdicts: Sequence[Verdict], expected: set[Blame]) -> Iterable[Blame]:
    """Every fail's blame; a fail without a cause counts only where nothing injected explains it."""
    faulty = {subject for blame in expected for subject in blame.subjects}
    for verdict in verdicts:
        if verdict.outcome is not Outcome.FAIL:
            continue
        subjects = tuple(sorted(verdict.subject.names))
        symptom = faulty & set(subjects) if subjects else expected
        if verdict.cause or not symptom:
            yield Blame(verdict.cause or "", subjects)


def _obstacles(
    injected: Mapping[str, Any], result: RunResult, expected: set[Blame], unnamed: set[Blame]
) -> Iterable[str]:
    if result.kind != "validate":
        yield f"the result is of a {result.kind}, not of a validation"
    if not result.complete:
        yield "the validation was cut off"
    if not result.nodes:
        yield "the validation saw no node"
    if not expected | unnamed and not result.passed():
        yield "nothing was to be found, and the validation did not pass"
    if unnamed and result.passed():
        yield f"{min(unnamed).cause} was injected, and the validation passed"
    for fault in injected.get("unbound", ()):
        yield f"{fault['cause']} was to be injected and found no node"
    yield from _unproven(result, expected | unnamed)


def _unproven(result: RunResult, expected: set[Blame]) -> Iterable[str]:
    """Checks that were not made on nodes without a fault: who proves nothing there blames nobody either."""
    faulty = {subject for blame in expected for subject in blame.subjects}
    healthy = [node.node for node in result.nodes if node.node not in faulty]
    waived = {waiver.check_id for waiver in result.waivers}
    excused = may_stay_open((blame.cause for blame in expected), healthy=len(healthy))
    owed = [each for each in result.required_checks if each not in CLUSTER_CHECKS | waived | excused]
    for node in healthy:
        outcomes = {check: _outcomes(result, node, check) for check in owed}
        for check, found in outcomes.items():
            if not found:
                yield f"{check} says nothing about {node}, which has no fault"
            elif unproven := found - {Outcome.PASS, Outcome.NOT_APPLICABLE, Outcome.FAIL}:
                yield f"{check} is {min(unproven).value} on {node}, which has no fault"
        if not any(Outcome.PASS in found for found in outcomes.values()):
            yield f"nothing passed on {node}, which has no fault"


def _outcomes(result: RunResult, node: str, check: str) -> set[Outcome]:
    about = Subject("node", (node,))
    return {each.outcome for each in result.verdicts if each.check_id == check and each.subject == about}


def _sorted(blames: set[Blame]) -> tuple[Blame, ...]:
    return tuple(sorted(blames))


def main(argv: Sequence[str]) -> int:
    """Print the comparison of two files; 0 if equal, 4 if not, 2 for anything that cannot be read."""
    try:
        injected = json.loads(Path(argv[0]).read_text(encoding="utf-8"))
        result = RunResult.model_validate_json(Path(argv[1]).read_text(encoding="utf-8"))
        comparison = compare(injected, result)
    except (IndexError, KeyError, OSError, ValueError) as error:
        sys.stderr.write(f"cannot compare: {type(error).__name__}: {error}\n")
        return ExitCode.USAGE
    sys.stdout.write("".join(line + "\n" for line in comparison.lines()))
    sys.stdout.write("equal\n" if comparison.equal else "not equal\n")
    return ExitCode.OK if comparison.equal else ExitCode.CHECKS_FAILED


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
