"""VAL-003: a collective is asked for once."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse a collective that is listed twice."""
    for item, name in enumerate(draft.collectives):
        if name in draft.collectives[:item]:
            yield Violation(
                path=("validation", "collectives", item),
                message=f"{name} is listed twice",
                allowed="each collective once",
                remedy="Remove one of the two.",
            )


RULE = Rule(
    row=CheckRow(
        id="VAL-003",
        title="a collective is asked for once",
        what="No name stands twice in `validation.collectives`.",
        why="It would be measured twice, with all nodes held for twice the time.",
        fix="Remove one.",
        by_hand="Read `validation.collectives` in the file.",
    ),
    check=check,
)
