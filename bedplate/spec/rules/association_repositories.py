"""STO-007: no two associations are tied to the same place in S3."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse the same bucket and prefix twice; `create` makes a bucket of its own each time."""
    seen: dict[tuple[str, str], int] = {}
    for index, association in draft.associations.items():
        place = (association.bucket, association.prefix)
        if association.bucket != "create" and place in seen:
            yield Violation(
                path=("storage", "lustre", "associations", index, "bucket"),
                message=f"s3://{association.bucket}/{association.prefix} is tied by association "
                f"{seen[place] + 1} already",
                allowed="a bucket and prefix of its own for each association",
                remedy="Give another prefix or bucket, or remove one of the two associations.",
            )
        seen.setdefault(place, index)


RULE = Rule(
    row=CheckRow(
        id="STO-007",
        title="associations are tied to different places in S3",
        what="No two associations of the file system name the same bucket and prefix.",
        why=(
            "FSx asks for a folder and a place in S3 of its own for each association. Two folders "
            "that export to one prefix would overwrite each other's objects."
        ),
        fix="Give each association its own prefix.",
        by_hand="`aws fsx describe-data-repository-associations` shows DataRepositoryPath of each.",
    ),
    check=check,
)
