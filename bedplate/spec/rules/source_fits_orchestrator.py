"""CAP-004: the orchestrator can launch from the pool's capacity source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.capacity_sources import SOURCE_NAMES
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation

_UNUSABLE = {
    "slurm-pcs": {
        "training-plan": "a SageMaker training plan gives instances to SageMaker only, "
        "and AWS PCS launches EC2 instances",
    }
}
"""Orchestrator kind → capacity source that it cannot use → why."""


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse sources that the orchestrator has no way to."""
    unusable = _UNUSABLE.get(draft.orchestrator_kind or "", {})
    for index, pool in draft.pools.items():
        reason = unusable.get(pool.capacity.source)
        if reason is not None:
            yield Violation(
                path=("pools", index, "capacity", "source"),
                message=f"{draft.orchestrator_kind} cannot use a {pool.capacity.source}: {reason}",
                allowed=usable_sources(draft, SOURCE_NAMES),
                remedy="Buy an EC2 Capacity Block instead and use `source: capacity-block` "
                "(`ultraserver-block` for p6e-gb200).",
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
            "AWS PCS launches EC2 instances and cannot name a plan. The other way round, HyperPod "
            "cannot use EC2 Capacity Blocks."
        ),
        fix=("Buy the capacity in the form that the orchestrator takes: an EC2 Capacity Block for AWS PCS."),
        by_hand=(
            'Read "Configure an AWS PCS compute node group to use a Capacity Block" in the AWS '
            "PCS User Guide."
        ),
    ),
    check=check,
)
