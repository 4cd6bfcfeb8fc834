"""VAL-001: waivers name checks that exist."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.known_checks import KNOWN_CHECKS
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse a waiver for a check that there is not."""
    for index, waiver in draft.waivers.items():
        if waiver.check not in KNOWN_CHECKS:
            yield Violation(
                path=("validation", "waivers", index, "check"),
                message=f"there is no check {waiver.check}",
                allowed=", ".join(KNOWN_CHECKS),
                remedy=_advice(waiver.check),
            )


def _advice(given: str) -> str:
    """Close ids of the same family; one of another family only looks alike and means something else."""
    family = given.partition("-")[0]
    own = [check for check in KNOWN_CHECKS if check.partition("-")[0] == family]
    if own:
        close = get_close_matches(given, own, n=3, cutoff=0.5)
        return f"Did you mean {' or '.join(close)}?" if close else f"Name one of: {', '.join(own)}."
    return "Name one of those that are allowed, as the report prints it."


RULE = Rule(
    row=CheckRow(
        id="VAL-001",
        title="waivers name checks that exist",
        what="`check` of every waiver is the id of a check that validation makes.",
        why=("A misspelt id would waive nothing, and nobody would see why the cluster is still refused."),
        fix=(
            "Correct the id. The report prints it beside each check, and `bedplate explain ID` "
            "tells what it looks at."
        ),
        by_hand="Read the list of checks in docs/checks/.",
    ),
    check=check,
)
