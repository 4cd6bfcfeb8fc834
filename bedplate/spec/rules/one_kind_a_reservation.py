"""CAP-017: pools that share a reservation are of its type, and take it as what it is."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.capacity_sources import CREATE
from bedplate.spec.draft import Draft
from bedplate.spec.pools import Pool
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse a pool that names the reservation of an earlier one with another type or source."""
    seen: dict[str, tuple[int, Pool]] = {}
    for index, pool in draft.pools.items():
        reservation = getattr(pool.capacity, "reservation", None)
        if reservation is None or reservation == CREATE:
            continue
        number, first = seen.setdefault(reservation, (index, pool))
        for what, here, there in (
            ("of", pool.instance_type, first.instance_type),
            ("a", pool.capacity.source, first.capacity.source),
        ):
            if here != there:
                yield Violation(
                    path=("pools", index, "capacity", "reservation"),
                    message=f"{reservation} is {what} {there} by pools[{number}], and {what} {here} here",
                    allowed="one instance type and one source for a reservation",
                    remedy="Name the pool's own reservation, or make both pools alike.",
                )
                break


RULE = Rule(
    row=CheckRow(
        id="CAP-017",
        title="a reservation is one thing",
        what="Pools that name the same reservation have the same `instance_type` and `capacity.source`.",
        why=(
            "A reservation is of one instance type, and either a Capacity Block, an interruptible "
            "reservation or an On-Demand one. What does not fit it is never launched from it."
        ),
        fix="Correct the id in one of the pools, or its type or source.",
        by_hand="`aws ec2 describe-capacity-reservations --capacity-reservation-ids cr-…`",
    ),
    check=check,
)
