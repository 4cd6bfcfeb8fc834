"""CAP-010: a reservation that the stack makes lies in the pool's own placement group."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.capacity_sources import CREATE, TargetedReservation
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse the name of a placement group beside ``reservation: create``."""
    for index, pool in draft.pools.items():
        source = pool.capacity
        if (
            isinstance(source, TargetedReservation)
            and source.reservation == CREATE
            and source.placement_group is not None
        ):
            yield Violation(
                path=("pools", index, "capacity", "placement_group"),
                message="a reservation that the stack makes lies in a placement group that it makes too",
                allowed="no placement_group beside `reservation: create`",
                remedy="Take `placement_group` away, or name a reservation that lies in that group.",
            )


RULE = Rule(
    row=CheckRow(
        id="CAP-010",
        title="a created reservation has its own placement group",
        what="`placement_group` is not given where `reservation` is `create`.",
        why=(
            "The field says in which group an existing reservation was made. One that the stack makes "
            "is put into a group of the pool's own, so that its nodes stand close together; a group "
            "that others share has less room than its reservation promises."
        ),
        fix="Take `placement_group` away.",
        by_hand=(
            "`aws ec2 describe-capacity-reservations --query "
            "'CapacityReservations[].[CapacityReservationId,PlacementGroupArn]'` shows the groups of "
            "reservations that are there."
        ),
    ),
    check=check,
)
