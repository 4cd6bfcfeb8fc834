"""ORC-004: at most one partition is the default."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse the second default."""
    defaults = [index for index, partition in draft.partitions.items() if partition.default]
    for index in defaults[1:]:
        yield Violation(
            path=("orchestrator", "partitions", index, "default"),
            message=f"'{draft.partitions[defaults[0]].name}' is the default partition already",
            allowed="one default: true",
            remedy="Write `default: false`, or remove the line.",
        )


RULE = Rule(
    row=CheckRow(
        id="ORC-004",
        title="at most one partition is the default",
        what="At most one partition says `default: true`.",
        why=(
            "Slurm takes the last that says so, without a word; jobs that name no partition would "
            "go where nobody expects."
        ),
        fix="Keep one.",
        by_hand="`sinfo` on the login node marks the default partition with a star.",
    ),
    check=check,
)
