"""PRE-008: the Spot quota covers the pools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.validation.preflight.context import Preflight, Writer

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment

CODE = "L-C4BD4855"
_FAMILIES = ("p5.", "p5e.", "p5en.")
ROW = CheckRow(
    id="PRE-008",
    title="the quota of P5 Spot requests covers the Spot pools",
    what=f"The EC2 quota {CODE} (All P5 Spot Instance Requests: p5, p5e, p5en) against the vCPUs of all Spot "
    "pools at "
    "their greatest size plus those of other P5 Spot instances. For a Spot pool of another family no quota "
    "is "
    "published that could be held against it, and the check cannot be made.",
    why="The Spot quota of P5 is apart from the On-Demand one, and 0 in a new account.",
    fix="Ask for the sum that the report names, with the command that it prints.",
    by_hand=f"`aws service-quotas get-service-quota --service-code ec2 --quota-code {CODE}`",
)


def applies(environment: Environment) -> bool:
    """Where a pool is Spot; HyperPod's instances are not EC2's to count."""
    if environment.orchestrator.kind == "slurm-hyperpod":
        return False
    return any(pool.capacity.source == "spot" for pool in environment.pools)


def check(preflight: Preflight) -> list[Verdict]:
    """Add up vCPUs."""
    from bedplate.hardware import instance_type
    from bedplate.validation.preflight.quota import judge_quota, quota_by_code
    from bedplate.validation.preflight.usage import vcpus_in_use

    writer = Writer(ROW.id)
    pools = [pool for pool in preflight.environment.pools if pool.capacity.source == "spot"]
    other = [pool.instance_type for pool in pools if not pool.instance_type.startswith(_FAMILIES)]
    if other:
        return [writer.not_made(f"no quota is known for {', '.join(other)} as Spot")]
    requested = sum(pool.max_nodes * instance_type(pool.instance_type).vcpus for pool in pools)
    in_use = vcpus_in_use(
        preflight,
        counts=lambda one: (
            one.get("InstanceLifecycle") == "spot" and one.get("InstanceType", "").startswith(_FAMILIES)
        ),
    )
    quota = quota_by_code(preflight, service="ec2", code=CODE)
    return [judge_quota(writer, quota=quota, in_use=in_use, requested=requested, unit="vCPUs")]
