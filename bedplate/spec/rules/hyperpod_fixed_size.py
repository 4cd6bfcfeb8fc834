"""ORC-041: a pool of HyperPod has one number of nodes."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse pools that would grow and shrink with the jobs."""
    if draft.orchestrator_kind != "slurm-hyperpod":
        return
    for index, pool in draft.pools.items():
        if pool.min_nodes != pool.max_nodes:
            yield Violation(
                path=("pools", index, "nodes"),
                message="HyperPod keeps as many nodes as it is asked for, whether jobs need them or not",
                given=f"{{min: {pool.min_nodes}, max: {pool.max_nodes}}}",
                allowed="one number",
                remedy=f"Write `nodes: {pool.max_nodes}`, paid all the time, or use another kind.",
            )


RULE = Rule(
    row=CheckRow(
        id="ORC-041",
        title="a pool of HyperPod has one number of nodes",
        what="Under `slurm-hyperpod` `nodes` is a number, or `min` and `max` are the same.",
        why=(
            "On AWS PCS and ParallelCluster Slurm launches nodes when jobs need them and lets them go. On "
            "HyperPod nothing does: an instance group has InstanceCount nodes, and each is billed from its "
            "launch. A pool that was written as elastic would cost its greatest size."
        ),
        fix="Give one number; to change it, deploy again.",
        by_hand="`aws sagemaker describe-cluster` shows each group's CurrentCount and TargetCount.",
    ),
    check=check,
)
