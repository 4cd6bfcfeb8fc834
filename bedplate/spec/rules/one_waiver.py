"""VAL-002: a check is waived once."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse the second waiver of a check."""
    first: dict[str, int] = {}
    for index, waiver in draft.waivers.items():
        if waiver.check in first:
            yield Violation(
                path=("validation", "waivers", index, "check"),
                message=f"{waiver.check} is waived already, by waiver {first[waiver.check] + 1}",
                allowed="one waiver for a check",
                remedy="Keep the one whose reason still holds.",
            )
        first.setdefault(waiver.check, index)


RULE = Rule(
    row=CheckRow(
        id="VAL-002",
        title="a check is waived once",
        what="No check stands in two waivers.",
        why="Two reasons for one waiver cannot both be the reason; the report prints one.",
        fix="Keep one of the two.",
        by_hand="Read `validation.waivers` in the file.",
    ),
    check=check,
)
