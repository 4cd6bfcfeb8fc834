"""ORC-019: a pool is in one partition where the orchestrator needs it."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation

_ONE_PARTITION = {
    "slurm-parallelcluster": "a compute resource of ParallelCluster belongs to one queue",
    "slurm-hyperpod": "the nodes of a HyperPod instance group are in one partition",
}
"""Orchestrator kind → why a pool is in no second partition."""


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse the second partition that names a pool."""
    reason = _ONE_PARTITION.get(draft.orchestrator_kind or "")
    first: dict[str, str] = {}
    for index, partition in draft.partitions.items():
        for item, pool in enumerate(dict.fromkeys(partition.pools)):
            if reason is not None and pool in first:
                yield Violation(
                    path=("orchestrator", "partitions", index, "pools", item),
                    message=f"the pool '{pool}' is in partition {first[pool]} already, and {reason}",
                    allowed="pools that no other partition names",
                    remedy="Split the pool's nodes over two pools, one for each partition, or use QOS.",
                )
            first.setdefault(pool, partition.name)


RULE = Rule(
    row=CheckRow(
        id="ORC-019",
        title="a pool is in one partition where the orchestrator needs it",
        what="No two partitions name the same pool, under `slurm-parallelcluster` and `slurm-hyperpod`.",
        why=(
            "ParallelCluster writes nodes below a queue, and HyperPod's agent gives a group's nodes one "
            "partition: neither has words for a node in two. AWS PCS has."
        ),
        fix="Split the pool into two, one for each partition, or keep one partition and rank jobs by QOS.",
        by_hand="`sinfo -N -o '%N %P'` lists nodes with their partitions.",
    ),
    check=check,
)
