"""CAP-011: a pool of several instance types needs an orchestrator that can mix them."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation

_ONE_TYPE = {
    "slurm-pcs": "a PCS node group is launched from one template, which holds one type's interfaces",
    "slurm-parallelcluster": "Slurm knows one kind of GPU and one number of EFAs for a compute resource",
    "slurm-hyperpod": "a HyperPod instance group is of one instance type",
    "eks": "a node group is launched from one template, which holds one type's interfaces",
}
"""Orchestrator kind that cannot mix types in a pool → why."""


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse alternative types where all nodes of a pool are launched alike."""
    reason = _ONE_TYPE.get(draft.orchestrator_kind or "")
    for index, pool in draft.pools.items():
        if reason is not None and pool.alternative_types:
            yield Violation(
                path=("pools", index, "alternative_types"),
                message=f"{draft.orchestrator_kind} cannot mix types in a pool: {reason}",
                given=f"[{', '.join(pool.alternative_types)}]",
                allowed="no alternative types",
                remedy="Make a pool of each type."
                if draft.kubernetes
                else "Make a pool of each type, and put the pools into one partition.",
            )


RULE = Rule(
    row=CheckRow(
        id="CAP-011",
        title="a pool has one type where the orchestrator needs it",
        what="`alternative_types` is empty: no orchestrator mixes types in a pool.",
        why=(
            "PCS launches a node group from one launch template. The template lists every network "
            "interface by card, and p5e has 32 cards where p5en has 16: nodes of the second type "
            "would fail to launch, or come up without half of their EFAs. The groups of ParallelCluster and "
            "HyperPod are of one type in the same way, and a node group of EKS has a template too."
        ),
        fix=(
            "Make two pools, one of each type, and list both in one partition: a job that fits either "
            "runs on whichever is free first."
        ),
        by_hand=(
            "`aws ec2 describe-instance-types --instance-types A B --query "
            "'InstanceTypes[].NetworkInfo.MaximumNetworkCards'` shows whether their cards agree."
        ),
    ),
    check=check,
)
