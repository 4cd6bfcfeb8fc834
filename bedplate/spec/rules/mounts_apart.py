"""STO-009: no two file systems are mounted at one place, or within one another."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.file_systems import place_of
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse a mount point that equals, holds or lies in an earlier one."""
    seen: dict[int, str] = {}
    for index, each in draft.file_systems.items():
        for other, earlier in seen.items():
            if _overlap(each.mount, earlier):
                yield Violation(
                    path=place_of(index, "mount"),
                    message=f"{each.mount} overlaps {earlier} of file system {other + 1}",
                    allowed="mount points side by side",
                    remedy="Give each file system a folder of its own, such as /fsx and /home.",
                )
                break
        seen[index] = each.mount


def _overlap(one: str, other: str) -> bool:
    one, other = one + "/", other + "/"
    return one.startswith(other) or other.startswith(one)


RULE = Rule(
    row=CheckRow(
        id="STO-009",
        title="file systems are mounted apart",
        what="No `mount` of a file system equals that of another, or lies within it.",
        why=(
            "The later mount covers the earlier one; one within another makes a node wait for both, and "
            "hides whatever the outer one has there."
        ),
        fix="Give each file system a folder of its own.",
        by_hand="`findmnt` on a node lists what is mounted where.",
    ),
    check=check,
)
