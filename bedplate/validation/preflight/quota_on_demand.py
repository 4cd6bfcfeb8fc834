"""PRE-007: the On-Demand quota covers the pools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.validation.preflight.context import Preflight, Writer

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment

CODE = "L-417A185B"
_SOURCES = ("on-demand", "open-reservation", "targeted-reservation")
ROW = CheckRow(
    id="PRE-007",
    title="the quota of running On-Demand P instances covers the pools",
    what=f"The EC2 quota {CODE} (vCPUs of running On-Demand P instances) against the vCPUs of all On-Demand "
    "pools at their greatest size (a reservation that the stack makes is of that size), plus those that "
    "other P instances of the account use, plus those that it has reserved (On-Demand Capacity "
    "Reservations) and does not use. Capacity Blocks and Spot do not count.",
    why="A new account's quota for P instances is often 0; an increase takes days.",
    fix="Ask for the sum that the report names, with the command that it prints.",
    by_hand=f"`aws service-quotas get-service-quota --service-code ec2 --quota-code {CODE}`",
)


def applies(environment: Environment) -> bool:
    """Where a pool is bought On-Demand, reserved or not; HyperPod's instances are not EC2's to count."""
    if environment.orchestrator.kind == "slurm-hyperpod":
        return False
    return any(pool.capacity.source in _SOURCES for pool in environment.pools)


def check(preflight: Preflight) -> list[Verdict]:
    """Add up vCPUs."""
    from bedplate.hardware import instance_type
    from bedplate.validation.preflight.quota import judge_quota, quota_by_code
    from bedplate.validation.preflight.reserved import vcpus_reserved_unused
    from bedplate.validation.preflight.usage import is_on_demand, vcpus_in_use

    requested = sum(
        pool.max_nodes * instance_type(pool.instance_type).vcpus
        for pool in preflight.environment.pools
        if pool.capacity.source in _SOURCES
    )
    in_use = vcpus_in_use(
        preflight, counts=lambda one: is_on_demand(one) and one.get("InstanceType", "").startswith("p")
    )
    in_use += vcpus_reserved_unused(preflight, counts=lambda name: name.startswith("p"))
    quota = quota_by_code(preflight, service="ec2", code=CODE)
    return [judge_quota(Writer(ROW.id), quota=quota, in_use=in_use, requested=requested, unit="vCPUs")]
