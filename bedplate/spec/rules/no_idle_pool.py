"""ORC-005: every pool is in a partition."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse a pool that no partition names, once all partitions can be read."""
    if not draft.all_partitions:
        return
    used = {name for partition in draft.partitions.values() for name in partition.pools}
    for index, name in draft.pool_names.items():
        if name not in used:
            yield Violation(
                path=("pools", index, "name"),
                message=f"no partition holds the pool '{name}', so no job could reach it",
                allowed="pools that a partition names",
                remedy=f"Add {name} to the pools of a partition, or remove the pool.",
            )


RULE = Rule(
    row=CheckRow(
        id="ORC-005",
        title="every pool is in a partition",
        what="Every pool is named by at least one of `orchestrator.partitions`.",
        why="Nodes outside every partition run, cost, and take no job.",
        fix="Add the pool to a partition's `pools`.",
        by_hand="`sinfo -N` on the login node lists nodes with their partitions.",
    ),
    check=check,
)
