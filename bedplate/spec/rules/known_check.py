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
            close = get_close_matches(waiver.check, KNOWN_CHECKS, n=1, cutoff=0.5)
            yield Violation(
                path=("validation", "waivers", index, "check"),
                message=f"there is no check {waiver.check}",
                allowed=", ".join(KNOWN_CHECKS),
                remedy=f"Did you mean {close[0]}?" if close else "Name a check as the report prints it.",
            )


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
