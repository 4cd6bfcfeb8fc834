"""CAP-016: a reservation that the stack makes is one that EC2 can make."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.capacity_sources import CREATE, TargetedReservation
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation

MOST_INSTANCES = 1000
"""EC2 API, CreateCapacityReservation: InstanceCount is 1 to 1000."""


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse pools that are larger than a reservation can be."""
    for index, pool in draft.pools.items():
        source = pool.capacity
        created = isinstance(source, TargetedReservation) and source.reservation == CREATE
        if created and pool.max_nodes > MOST_INSTANCES:
            yield Violation(
                path=("pools", index, "nodes"),
                message=f"a reservation holds at most {MOST_INSTANCES} instances, "
                f"and the pool has {pool.max_nodes} nodes",
                given=str(pool.max_nodes),
                allowed=f"1 to {MOST_INSTANCES}",
                remedy="Make two pools, each with its reservation, and put them into one partition.",
            )


RULE = Rule(
    row=CheckRow(
        id="CAP-016",
        title="a created reservation holds at most 1000 instances",
        what="A pool with `reservation: create` has at most 1000 nodes.",
        why=(
            "The reservation is made for the pool's largest size, and EC2 makes none of more than "
            "1000 instances: the deploy would fail when it comes to the pool."
        ),
        fix="Make several pools, each with its reservation, and put them into one partition.",
        by_hand="See InstanceCount of CreateCapacityReservation in the EC2 API Reference.",
    ),
    check=check,
)
