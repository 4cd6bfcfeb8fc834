"""CAP-004: the orchestrator can launch from the pool's capacity source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from bedplate.explanation import CheckRow
from bedplate.spec.capacity_sources import SOURCE_NAMES
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation

_NOT_EC2 = "a SageMaker training plan gives instances to SageMaker only, and {} launches EC2 instances"
_NOT_SAGEMAKER = (
    "HyperPod's instances are SageMaker's, and SageMaker cannot launch from reservations and blocks of EC2"
)
_UNUSABLE: Mapping[str, Mapping[str, str]] = {
    "slurm-pcs": {"training-plan": _NOT_EC2.format("AWS PCS")},
    "slurm-parallelcluster": {
        "training-plan": _NOT_EC2.format("ParallelCluster"),
        "interruptible-reservation": "a queue's CapacityType is ONDEMAND, SPOT or CAPACITY_BLOCK",
    },
    "eks": {
        "training-plan": _NOT_EC2.format("EKS"),
        "interruptible-reservation": "a node group's CapacityType is ON_DEMAND, SPOT or CAPACITY_BLOCK",
    },
    "slurm-hyperpod": dict.fromkeys(
        (
            "open-reservation",
            "targeted-reservation",
            "interruptible-reservation",
            "capacity-block",
            "ultraserver-block",
        ),
        _NOT_SAGEMAKER,
    ),
}
"""Orchestrator kind → capacity source that it cannot use → why."""
_REMEDIES = {
    "training-plan": "Buy an EC2 Capacity Block instead and use `source: capacity-block` "
    "(`ultraserver-block` for p6e-gb200).",
    "interruptible-reservation": "Use `kind: slurm-pcs`, or buy the pool another way.",
}
_REMEDY_ON_HYPERPOD = "Buy a training plan for HyperPod and use `source: training-plan`, or another kind."


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse sources that the orchestrator has no way to."""
    kind = draft.orchestrator_kind
    unusable = _UNUSABLE.get(kind or "", {})
    for index, pool in draft.pools.items():
        source = pool.capacity.source
        if source in unusable:
            yield Violation(
                path=("pools", index, "capacity", "source"),
                message=f"{kind} cannot use `{source}`: {unusable[source]}",
                allowed=usable_sources(draft, SOURCE_NAMES),
                remedy=_REMEDY_ON_HYPERPOD if kind == "slurm-hyperpod" else _REMEDIES[source],
            )


def usable_sources(draft: Draft, sources: Iterable[str]) -> str:
    """List those of the sources that the environment's orchestrator can use."""
    unusable = _UNUSABLE.get(draft.orchestrator_kind or "", {})
    return ", ".join(source for source in sources if source not in unusable)


RULE = Rule(
    row=CheckRow(
        id="CAP-004",
        title="the orchestrator can use the capacity source",
        what="The pool's `capacity.source` is one that the orchestrator can launch from.",
        why=(
            "A SageMaker training plan is usable by SageMaker (HyperPod and training jobs) only; "
            "AWS PCS, ParallelCluster and EKS launch EC2 instances and cannot name a plan. The other way "
            "round, "
            "HyperPod can use neither EC2 Capacity Blocks nor reservations. A queue of ParallelCluster and a "
            "node group of EKS have no word for an interruptible reservation."
        ),
        fix=(
            "Buy the capacity in the form that the orchestrator takes: an EC2 Capacity Block for AWS PCS, "
            "ParallelCluster and EKS, a training plan for HyperPod."
        ),
        by_hand=(
            'Read "Configure an AWS PCS compute node group to use a Capacity Block" in the AWS '
            "PCS User Guide."
        ),
    ),
    check=check,
)
