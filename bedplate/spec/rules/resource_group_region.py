"""CAP-015: the group of reservations, or the training plan, is in the environment's Region."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.capacity_sources import TargetedReservation, TrainingPlan
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse the ARN of a group or a plan in another Region."""
    if draft.region is None:
        return
    for index, pool in draft.pools.items():
        source = pool.capacity
        if isinstance(source, TargetedReservation) and source.resource_group is not None:
            field, what, arn = "resource_group", "group", source.resource_group
        elif isinstance(source, TrainingPlan):
            field, what, arn = "plan", "plan", source.plan
        else:
            continue
        region = arn.split(":")[3]
        if region != draft.region:
            yield Violation(
                path=("pools", index, "capacity", field),
                message=f"the {what} is in {region}, the environment in {draft.region}",
                allowed=f"a {what} in {draft.region}",
                remedy=f"Give the ARN of a {what} in the environment's Region.",
            )


RULE = Rule(
    row=CheckRow(
        id="CAP-015",
        title="the resource group or training plan is in the Region",
        what="The Region in the ARN of `resource_group`, or of `plan`, is the environment's.",
        why=(
            "Reservations, the groups that hold them, and training plans are of one Region: every launch "
            "that names one of another fails, after network and file system have been made."
        ),
        fix="Give the ARN of a group or plan in the environment's Region, or correct `region`.",
        by_hand="`aws resource-groups list-groups --region REGION` lists the groups, "
        "`aws sagemaker list-training-plans --region REGION` the plans.",
    ),
    check=check,
)
