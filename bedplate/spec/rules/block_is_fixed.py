"""CAP-006: a pool on a block does not grow and shrink with the queue."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.capacity_sources import CapacityBlock, UltraServerBlock
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse a range on a block, save for one from 0 to all of it, which the queue fills."""
    for index, pool in draft.pools.items():
        if not isinstance(pool.capacity, CapacityBlock | UltraServerBlock):
            continue
        if pool.min_nodes not in (0, pool.max_nodes):
            yield Violation(
                path=("pools", index, "nodes", "min"),
                message=f"a pool on a {pool.capacity.source} has {pool.max_nodes} nodes from the delivery of "
                "the block on, or as many as the queue needs",
                allowed=f"0 or {pool.max_nodes}",
                remedy=f"Write `nodes: {pool.max_nodes}`, or `nodes: {{min: 0, max: {pool.max_nodes}}}` "
                "to have nodes come and go with the queue.",
            )


RULE = Rule(
    row=CheckRow(
        id="CAP-006",
        title="a pool on a block is of fixed size",
        what="A pool on a Capacity Block has as many nodes at least as at most, or a minimum of 0.",
        why=(
            "A block is paid for as a whole, used or not, and a slot takes minutes to become free "
            "again after a node has stopped: keeping a part of it up saves nothing. Whatever is written "
            "here, the node group is made with no nodes, and gets its minimum when the block is "
            "delivered, so that a deploy before the start does not fail."
        ),
        fix="Write one number, or `{min: 0, max: N}` to have nodes come and go with the queue.",
        by_hand=(
            "`aws ec2 describe-capacity-reservations --capacity-reservation-ids cr-…` shows "
            "StartDate and State."
        ),
    ),
    check=check,
)
