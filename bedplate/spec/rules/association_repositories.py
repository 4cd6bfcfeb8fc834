"""STO-007: no two associations are tied to the same place in S3."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.file_systems import Association
from bedplate.spec.rules.file_systems import place_of
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse places that are, hold or lie in another; `create` makes a bucket of its own each time."""
    exporting: dict[int, list[Association]] = {}
    for file_system, associations in draft.associations.items():
        yield from _of_one(file_system, associations)
        yield from _between(file_system, associations, exporting)
        exporting[file_system] = [each for each in associations.values() if each.export]


def _of_one(file_system: int, associations: dict[int, Association]) -> Iterator[Violation]:
    seen: dict[int, Association] = {}
    for index, association in associations.items():
        if association.bucket == "create":
            continue
        for other, earlier in seen.items():
            if _overlap(association, earlier):
                yield Violation(
                    path=place_of(file_system, "associations", index, "bucket"),
                    message=f"s3://{association.bucket}/{association.prefix} overlaps "
                    f"s3://{earlier.bucket}/{earlier.prefix} of association {other + 1}",
                    allowed="a bucket and prefix of its own for each association",
                    remedy="Give another prefix or bucket, or remove one of the two associations.",
                )
                break
        seen[index] = association


def _between(
    file_system: int, associations: dict[int, Association], exporting: dict[int, list[Association]]
) -> Iterator[Violation]:
    """One file system may export what another imports, but not where another exports to."""
    for index, association in associations.items():
        for other, earlier in exporting.items():
            if (
                association.export
                and association.bucket != "create"
                and any(_overlap(association, each) for each in earlier)
            ):
                yield Violation(
                    path=place_of(file_system, "associations", index, "bucket"),
                    message=f"s3://{association.bucket}/{association.prefix} is exported to by file system "
                    f"{other + 1} too",
                    allowed="a bucket and prefix of its own for each association that exports",
                    remedy="Give another prefix or bucket, or remove `export` from one of the two.",
                )
                break


def _overlap(one: Association, other: Association) -> bool:
    return one.bucket == other.bucket and (
        one.prefix.startswith(other.prefix) or other.prefix.startswith(one.prefix)
    )


RULE = Rule(
    row=CheckRow(
        id="STO-007",
        title="associations are tied to different places in S3",
        what="No two associations of a file system name the same bucket and prefix, or one within the other; "
        "and no two of different file systems export to the same.",
        why=(
            "FSx asks for a folder and a place in S3 of its own for each association. Two folders "
            "that export to one prefix would overwrite each other's objects."
        ),
        fix="Give each association its own prefix.",
        by_hand="`aws fsx describe-data-repository-associations` shows DataRepositoryPath of each.",
    ),
    check=check,
)
