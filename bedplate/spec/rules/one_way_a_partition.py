"""ORC-020: the pools of a ParallelCluster partition are bought in one way."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation

_CAPACITY_TYPES = {
    "capacity-block": "CAPACITY_BLOCK",
    "ultraserver-block": "CAPACITY_BLOCK",
    "spot": "SPOT",
    "on-demand": "ONDEMAND",
    "open-reservation": "ONDEMAND",
    "targeted-reservation": "ONDEMAND",
}
"""Capacity source → CapacityType of a queue; a source that ParallelCluster cannot use has none."""


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse partitions whose pools would need two capacity types."""
    if draft.orchestrator_kind != "slurm-parallelcluster":
        return
    types = {
        pool.name: _CAPACITY_TYPES[pool.capacity.source]
        for pool in draft.pools.values()
        if pool.capacity.source in _CAPACITY_TYPES
    }
    for index, partition in draft.partitions.items():
        found = {name: types[name] for name in partition.pools if name in types}
        if len(set(found.values())) > 1:
            told = ", ".join(f"{name} is {word}" for name, word in found.items())
            yield Violation(
                path=("orchestrator", "partitions", index, "pools"),
                message=f"a queue of ParallelCluster has one capacity type: {told}",
                given=f"[{', '.join(partition.pools)}]",
                allowed="pools that are bought in one way",
                remedy="Make a partition for each way of buying; `sbatch -p one,other` takes what is free.",
            )


RULE = Rule(
    row=CheckRow(
        id="ORC-020",
        title="the pools of a ParallelCluster partition are bought in one way",
        what=(
            "Under `slurm-parallelcluster` all pools of a partition are On-Demand or in reservations, or all "
            "are Spot, or all are on Capacity Blocks."
        ),
        why="ParallelCluster gives a queue one CapacityType, which holds for all of its compute resources.",
        fix="Make a partition for each way of buying; a job may name several partitions.",
        by_hand="The queue's CapacityType in the configuration that `pcluster describe-cluster` links to.",
    ),
    check=check,
)
