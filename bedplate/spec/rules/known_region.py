"""NET-006: the Region is one whose zones Bedplate knows."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.regions import ZONE_PREFIXES, nearest_region
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse Regions that are not in the table."""
    if draft.region is not None and draft.region not in ZONE_PREFIXES:
        nearest = nearest_region(draft.region)
        yield Violation(
            path=("region",),
            message=f"there is no Region '{draft.region}'",
            allowed="an AWS Region, such as us-east-1, us-west-2 or eu-north-1",
            remedy=f"Did you mean '{nearest}'?" if nearest else "Give a Region's name such as us-west-2.",
        )


RULE = Rule(
    row=CheckRow(
        id="NET-006",
        title="the Region exists",
        what="`region` is in the table of Regions in `bedplate.spec.regions`.",
        why=(
            "A misspelt Region would be met only by the first call to AWS, as an endpoint that "
            "cannot be reached."
        ),
        fix="Correct the name.",
        by_hand="`aws account list-regions` lists the Regions and whether your account has opted in.",
    ),
    check=check,
)
