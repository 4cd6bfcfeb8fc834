"""CAP-003: UltraServer types come by an UltraServer block or a training plan only."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.hardware import INSTANCE_TYPES
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation
from bedplate.spec.rules.source_fits_orchestrator import usable_sources

_BLOCK = (
    "Buy a Capacity Block for UltraServers and name its reservation: "
    "`capacity: {source: ultraserver-block, reservation: cr-…}`."
)
_ON_HYPERPOD = (
    "Buy a training plan for HyperPod and name it: `capacity: {source: training-plan, plan: arn:…}`."
)


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse UltraServer types outside what UltraServers are sold by."""
    for index, pool in draft.pools.items():
        known = INSTANCE_TYPES.get(pool.instance_type)
        if known is None or not known.needs_imex or pool.capacity.source in known.capacity_sources:
            continue
        yield Violation(
            path=("pools", index, "capacity", "source"),
            message=f"{known.name} is sold as part of an UltraServer only, not as {pool.capacity.source}",
            allowed=usable_sources(draft, known.capacity_sources),
            remedy=_ON_HYPERPOD if draft.orchestrator_kind == "slurm-hyperpod" else _BLOCK,
        )


RULE = Rule(
    row=CheckRow(
        id="CAP-003",
        title="UltraServer types come by an UltraServer block or a training plan",
        what=(
            "A pool of an UltraServer type (p6e-gb200) has the source `ultraserver-block` or `training-plan`."
        ),
        why=(
            "P6e-GB200 instances share one NVLink domain of 9 or 18 instances. AWS sells them as "
            "whole UltraServers only: by EC2 Capacity Blocks for UltraServers, or by SageMaker "
            "training plans. There is no On-Demand, no Spot and no plain Capacity Block."
        ),
        fix=(
            "Buy a Capacity Block for UltraServers and name its reservation id with `source: "
            "ultraserver-block`, or use another instance type."
        ),
        by_hand=(
            "`aws ec2 describe-capacity-block-offerings --ultraserver-type u-p6e-gb200x72 "
            "--ultraserver-count 1 --capacity-duration-hours 24` lists what is on offer."
        ),
    ),
    check=check,
)
