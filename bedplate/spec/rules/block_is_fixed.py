"""CAP-006: a pool on a block does not grow and shrink with the queue."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.capacity_sources import CapacityBlock, UltraServerBlock
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse a range on a block, save for a minimum of 0, which waits for the block to start."""
    for index, pool in draft.pools.items():
        if not isinstance(pool.capacity, CapacityBlock | UltraServerBlock):
            continue
        if pool.min_nodes not in (0, pool.max_nodes):
            yield Violation(
                path=("pools", index, "nodes", "min"),
                message=f"a pool on a {pool.capacity.source} has {pool.max_nodes} nodes all the time, "
                "or none until the block has started",
                allowed=f"0 or {pool.max_nodes}",
                remedy=f"Write `nodes: {pool.max_nodes}`, or `nodes: {{min: 0, max: {pool.max_nodes}}}` "
                "to deploy before the block starts.",
            )


RULE = Rule(
    row=CheckRow(
        id="CAP-006",
        title="a pool on a block is of fixed size",
        what="A pool on a Capacity Block has as many nodes at least as at most, or a minimum of 0.",
        why=(
            "A block is paid for as a whole, used or not, and a slot takes minutes to become free "
            "again after a node has stopped: scaling saves nothing and costs time. A minimum of 0 "
            "is for a deploy before the block has started, for nodes that must be up at once "
            "would make the deploy fail."
        ),
        fix="Write one number, or `{min: 0, max: N}` until the block has started.",
        by_hand=(
            "`aws ec2 describe-capacity-reservations --capacity-reservation-ids cr-…` shows "
            "StartDate and State."
        ),
    ),
    check=check,
)
