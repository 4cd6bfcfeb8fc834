"""CAP-015: the group of reservations is in the environment's Region."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.capacity_sources import TargetedReservation
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse the ARN of a group in another Region."""
    if draft.region is None:
        return
    for index, pool in draft.pools.items():
        source = pool.capacity
        if not isinstance(source, TargetedReservation) or source.resource_group is None:
            continue
        region = source.resource_group.split(":")[3]
        if region != draft.region:
            yield Violation(
                path=("pools", index, "capacity", "resource_group"),
                message=f"the group is in {region}, the environment in {draft.region}",
                allowed=f"a group in {draft.region}",
                remedy="Give the ARN of a group in the environment's Region.",
            )


RULE = Rule(
    row=CheckRow(
        id="CAP-015",
        title="the resource group is in the Region",
        what="The Region in the ARN of `resource_group` is the environment's.",
        why=(
            "Reservations, and the groups that hold them, are of one Region: every launch that names a "
            "group of another one fails, after network and file system have been made."
        ),
        fix="Give the ARN of a group in the environment's Region, or correct `region`.",
        by_hand="`aws resource-groups list-groups --region REGION` lists the groups.",
    ),
    check=check,
)
