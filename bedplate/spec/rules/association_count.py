"""STO-005: a file system has at most eight associations."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.file_systems import place_of
from bedplate.spec.rules.rule import Rule, Violation

MAX_ASSOCIATIONS = 8


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse the ninth."""
    for index, associations in draft.associations.items():
        if len(associations) <= MAX_ASSOCIATIONS:
            continue
        yield Violation(
            path=place_of(index, "associations", sorted(associations)[MAX_ASSOCIATIONS]),
            message=f"a file system has at most {MAX_ASSOCIATIONS} associations, "
            f"and here are {len(associations)}",
            given=str(len(associations)),
            allowed=f"0 to {MAX_ASSOCIATIONS}",
            remedy="Tie a common parent prefix by one association instead of several.",
        )


RULE = Rule(
    row=CheckRow(
        id="STO-005",
        title="there are at most eight associations",
        what="`associations` of a Lustre file system has at most 8 entries.",
        why=("It is FSx's limit for a file system; the ninth fails after the others have been made."),
        fix="Put what belongs together under one prefix of a bucket, and tie that.",
        by_hand="`aws fsx describe-data-repository-associations` lists those of a file system.",
    ),
    check=check,
)
