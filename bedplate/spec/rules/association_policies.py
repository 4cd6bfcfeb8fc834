"""STO-023: the rights in tied buckets fit into the policies that one role takes."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.association_rights import MOST_POLICIES, grouped
from bedplate.spec.draft import Draft
from bedplate.spec.file_systems import Association
from bedplate.spec.rules.file_systems import place_of
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse the association with which the rights to send files need a policy more than a role takes."""
    asked = [
        (file_system, index, each)
        for file_system, associations in sorted(draft.associations.items())
        for index, each in sorted(associations.items())
        if _is_asked(each)
    ]
    groups = grouped([each.prefix for _, _, each in asked])
    if len(groups) <= MOST_POLICIES:
        return
    file_system, index, each = asked[groups[MOST_POLICIES][0]]
    yield Violation(
        path=place_of(file_system, "associations", index, "prefix"),
        message=f"the rights in the buckets of {len(asked)} associations need {len(groups)} policies, and a "
        f"role takes {MOST_POLICIES} beside what else it needs",
        given=f"{len(each.prefix)} characters here",
        allowed=f"up to {MOST_POLICIES} policies; 64 associations fit with prefixes of 84 characters each",
        remedy="Give shorter prefixes, or tie a common parent prefix by one association instead of several.",
    )


def _is_asked(association: Association) -> bool:
    """Whether FSX-003 sends a file through it, for which it needs a right in the bucket."""
    return "new" in association.import_ or "new" in association.export


RULE = Rule(
    row=CheckRow(
        id="STO-023",
        title="the rights in tied buckets fit into a role",
        what=(
            "The rights to send a file through each association that imports or exports `new` by itself come "
            "to at most 7 managed policies: about 14 associations a policy with short prefixes, 2 with "
            "prefixes of 900 characters."
        ),
        why=(
            "IAM attaches 10 managed policies to a role unless more are asked for, of 6144 characters each "
            "(IAM User Guide, quotas). The runner's role has three others, and the deploy would fail at the "
            "role after the file systems have been made."
        ),
        fix="Give shorter prefixes, or tie a common parent prefix instead of several below it.",
        by_hand="The output `AssociationPolicyArns` of a deployed storage stack lists the policies.",
    ),
    check=check,
)
