"""STO-016: a file system that is tied to buckets has no backups."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.file_systems import lustres, place_of
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse backup days beside associations."""
    for index, each in lustres(draft):
        if each.backup_days and draft.associations.get(index):
            yield Violation(
                path=place_of(index, "backup_days"),
                message="FSx keeps no backups of a file system that is tied to buckets",
                allowed="0 beside associations",
                remedy="Remove `backup_days`, and let an association export what must be kept; or remove the "
                "associations.",
            )


RULE = Rule(
    row=CheckRow(
        id="STO-016",
        title="backups and associations exclude each other",
        what="A Lustre file system has `backup_days` or `associations`, not both.",
        why=(
            "FSx refuses the association, after the file system has been made (FSx for Lustre User Guide, "
            '"Using data repositories").'
        ),
        fix="Choose one of the two: exports to a bucket, or backups.",
        by_hand="`aws fsx describe-backups --filters Name=file-system-id,Values=fs-…`",
    ),
    check=check,
)
