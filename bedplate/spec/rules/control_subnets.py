"""NET-007: an existing VPC's control subnets match the control zones."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse another number of subnets than of zones, and one subnet twice."""
    if draft.network is None or draft.network.vpc is None:
        return
    vpc, zones = draft.network.vpc, draft.network.control_zones
    given = f"[{', '.join(vpc.control_subnets)}]"
    path = ("network", "vpc", "control_subnets")
    if len(vpc.control_subnets) != len(zones):
        yield Violation(
            path=path,
            message=f"{len(vpc.control_subnets)} control subnets for {len(zones)} control zones",
            given=given,
            allowed="one subnet for each of network.control_zones, in the same order",
            remedy="List the subnet of each control zone.",
        )
    elif len({*vpc.control_subnets, vpc.gpu_subnet}) <= len(zones):
        yield Violation(
            path=path,
            message="a subnet is named twice, among the control subnets or as the GPU subnet",
            given=given,
            allowed="subnets that all differ",
            remedy="Name a subnet of its own for each purpose.",
        )


RULE = Rule(
    row=CheckRow(
        id="NET-007",
        title="existing control subnets match the control zones",
        what=(
            "`network.vpc.control_subnets` lists one subnet for each of `network.control_zones`, "
            "all different, and not the GPU subnet."
        ),
        why=(
            "Subnets and zones are matched by their order. A subnet that is named twice would put "
            "two copies of what must survive the loss of a zone into the same one."
        ),
        fix="List the subnets in the order of the zones.",
        by_hand=(
            "`aws ec2 describe-subnets --subnet-ids subnet-… --query "
            "'Subnets[].[SubnetId,AvailabilityZoneId]'` shows each subnet's zone."
        ),
    ),
    check=check,
)
