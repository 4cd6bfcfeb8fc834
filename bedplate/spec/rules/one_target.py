"""CAP-009: a targeted reservation is named in one way."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.capacity_sources import TargetedReservation
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse a target that is named neither by reservation nor by group, or by both."""
    for index, pool in draft.pools.items():
        source = pool.capacity
        if not isinstance(source, TargetedReservation):
            continue
        if (source.reservation is None) == (source.resource_group is None):
            both = source.reservation is not None
            yield Violation(
                path=("pools", index, "capacity", "resource_group" if both else "source"),
                message="a targeted reservation is named by `reservation` or by `resource_group`, "
                + ("and both are given" if both else "and neither is given"),
                allowed="`reservation: cr-…`, `reservation: create`, or `resource_group: arn:…`",
                remedy="Take one of the two away." if both else "Name the reservation, or a group of them.",
            )


RULE = Rule(
    row=CheckRow(
        id="CAP-009",
        title="a targeted reservation is named in one way",
        what=(
            "A pool with `source: targeted-reservation` has `reservation` (an id, or `create`) or "
            "`resource_group`, and not both."
        ),
        why=(
            "EC2 takes one target in a launch, a reservation or a group of them. Without any, nodes "
            "that may come from reservations only have none to come from."
        ),
        fix=(
            "Give the reservation's id; or `create`, to have one made with the pool; or the ARN of a "
            "resource group that holds several."
        ),
        by_hand=(
            "`aws ec2 describe-capacity-reservations` lists reservations, `aws resource-groups "
            "list-groups --filters Name=configuration-type,Values=AWS::EC2::CapacityReservationPool` "
            "their groups."
        ),
    ),
    check=check,
)
