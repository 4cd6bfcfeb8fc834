"""ORC-009: a partition names each pool once."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse a pool that is listed twice in one partition."""
    for index, partition in draft.partitions.items():
        for item, name in enumerate(partition.pools):
            if name in partition.pools[:item]:
                yield Violation(
                    path=("orchestrator", "partitions", index, "pools", item),
                    message=f"the pool '{name}' is listed twice",
                    allowed="each pool once",
                    remedy="Remove one of the two.",
                )


RULE = Rule(
    row=CheckRow(
        id="ORC-009",
        title="a partition names each pool once",
        what="No name stands twice in a partition's `pools`.",
        why="AWS PCS refuses a queue that names a node group twice, and ParallelCluster two compute "
        "resources of one name; mostly another pool was meant.",
        fix="Remove it, or name the pool that was meant.",
        by_hand=(
            "`aws pcs get-queue --cluster-identifier … --queue-identifier …` lists a queue's node groups."
        ),
    ),
    check=check,
)
