"""STO-004: associations' folders do not lie within one another."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.file_systems import Association
from bedplate.spec.rules.file_systems import place_of
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse a path that equals, holds or lies in an earlier one; `/` holds all."""
    for file_system, associations in draft.associations.items():
        yield from _of_one(file_system, associations)


def _of_one(file_system: int, associations: dict[int, Association]) -> Iterator[Violation]:
    seen: dict[int, str] = {}
    for index, association in associations.items():
        path = association.path
        for other, earlier in seen.items():
            if _overlap(path, earlier):
                yield Violation(
                    path=place_of(file_system, "associations", index, "path"),
                    message=f"{path} overlaps {earlier} of association {other + 1}",
                    allowed="folders side by side; / only where it is the sole association",
                    remedy="Give each association a folder of its own, such as /datasets and /checkpoints.",
                )
                break
        seen[index] = path


def _overlap(one: str, other: str) -> bool:
    one, other = one.rstrip("/") + "/", other.rstrip("/") + "/"
    return one.startswith(other) or other.startswith(one)


RULE = Rule(
    row=CheckRow(
        id="STO-004",
        title="associations' folders do not overlap",
        what="No `path` of an association equals, holds or lies within another; `/` stands alone.",
        why=(
            "FSx ties each folder to one place in S3. It refuses the second association, after "
            "the file system has been made."
        ),
        fix="Give each association a folder of its own beside the others.",
        by_hand="`aws fsx describe-data-repository-associations` shows the paths that are tied.",
    ),
    check=check,
)
