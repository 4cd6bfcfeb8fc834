"""CAP-008: a pool's smallest size is not above its largest."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.pools import NodeRange
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse ranges that are the wrong way round."""
    for index, pool in draft.pools.items():
        if isinstance(pool.nodes, NodeRange) and pool.nodes.min > pool.nodes.max:
            yield Violation(
                path=("pools", index, "nodes", "min"),
                message=f"min ({pool.nodes.min}) is above max ({pool.nodes.max})",
                allowed=f"0 to {pool.nodes.max}",
                remedy=f"Write `nodes: {{min: {pool.nodes.max}, max: {pool.nodes.min}}}`, or one number.",
            )


RULE = Rule(
    row=CheckRow(
        id="CAP-008",
        title="a range of nodes is the right way round",
        what="In `nodes: {min: …, max: …}` min is not above max.",
        why="The orchestrator refuses such a group, AWS PCS after the rest of the cluster has been made.",
        fix="Exchange the two, or give one number for a pool of fixed size.",
        by_hand="Read the two numbers.",
    ),
    check=check,
)
