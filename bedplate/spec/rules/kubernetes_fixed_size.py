"""ORC-051: a pool under EKS has a fixed number of nodes."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.capacity_sources import CapacityBlock, UltraServerBlock
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse ranges: nothing in the cluster would ever use them. A block has its nodes in its time alone."""
    if draft.kubernetes is None:
        return
    for index, pool in draft.pools.items():
        if pool.min_nodes == pool.max_nodes or isinstance(pool.capacity, CapacityBlock | UltraServerBlock):
            continue
        yield Violation(
            path=("pools", index, "nodes"),
            message=f"nothing scales the pool {pool.name}: it would stay at {pool.min_nodes} nodes",
            given=f"{{min: {pool.min_nodes}, max: {pool.max_nodes}}}",
            allowed="a number, or min and max that are the same",
            remedy=f"Write `nodes: {pool.max_nodes}`, or fewer.",
        )


RULE = Rule(
    row=CheckRow(
        id="ORC-051",
        title="a pool under EKS has a fixed number of nodes",
        what="Under `eks` `nodes` is a number, or `min` and `max` are the same, but for pools on a block.",
        why=(
            "A managed node group changes its size when it is told to. This version installs nothing that "
            "tells it, so that a pool would stay at its minimum whatever waits for it."
        ),
        fix="Give the number of nodes.",
        by_hand="`aws eks describe-nodegroup` shows the sizes of a group.",
    ),
    check=check,
)
