"""CAP-005: a Capacity Block holds at most 64 instances."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.capacity_sources import CapacityBlock
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation

MAX_BLOCK_NODES = 64
"""EC2 User Guide, "Capacity Blocks for ML": up to 64 instances in one block."""


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse pools that are larger than any block."""
    for index, pool in draft.pools.items():
        if isinstance(pool.capacity, CapacityBlock) and pool.max_nodes > MAX_BLOCK_NODES:
            yield Violation(
                path=("pools", index, "nodes"),
                message=f"a Capacity Block holds at most {MAX_BLOCK_NODES} instances, "
                f"and the pool has {pool.max_nodes} nodes",
                given=str(pool.max_nodes),
                allowed=f"1 to {MAX_BLOCK_NODES}",
                remedy="Make one pool for each block, and put them into one partition.",
            )


RULE = Rule(
    row=CheckRow(
        id="CAP-005",
        title="a Capacity Block holds at most 64 instances",
        what="A pool with `source: capacity-block` has at most 64 nodes.",
        why=(
            "AWS sells blocks of 1 to 64 instances (256 over all blocks of an account at one "
            "time). A node group targets one reservation, so the nodes beyond the block would "
            "never launch."
        ),
        fix=(
            "Make one pool for each block, each with its reservation, and put the pools into one partition."
        ),
        by_hand=(
            "`aws ec2 describe-capacity-reservations --capacity-reservation-ids cr-…` shows "
            "TotalInstanceCount."
        ),
    ),
    check=check,
)
