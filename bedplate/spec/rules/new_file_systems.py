"""STO-020: not more new file systems than one stack holds."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.file_systems import ExistingEfs, ExistingLustre, ExistingOpenZfs
from bedplate.spec.rules.rule import Rule, Violation

MOST_NEW = 8
"""New file systems of an environment, so that with all they may have their stack stays under the limits."""
_EXISTING = (ExistingLustre, ExistingOpenZfs, ExistingEfs)


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse the ninth new file system."""
    new = [index for index, each in draft.file_systems.items() if not isinstance(each, _EXISTING)]
    if len(new) > MOST_NEW:
        yield Violation(
            path=("storage", "file_systems", new[MOST_NEW], "kind"),
            message=f"one stack holds at most {MOST_NEW} new file systems, and this is one more",
            allowed=f"up to {MOST_NEW} new file systems",
            remedy="Make it in another environment or by other means, and name it here by its id.",
        )


RULE = Rule(
    row=CheckRow(
        id="STO-020",
        title="one stack holds the new file systems",
        what="At most 8 of `storage.file_systems` are new; 16 with those that exist already.",
        why=(
            "CloudFormation takes 500 resources and 1 MB a stack. A file system has up to eight associations "
            "and buckets, each with policies, rules and tags."
        ),
        fix="Make further ones in another environment of the same VPC, and name them here by their ids.",
        by_hand="`grep -c 'kind:' environments/NAME.yaml` counts what is listed.",
    ),
    check=check,
)
