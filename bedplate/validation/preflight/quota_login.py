"""PRE-009: the quota of standard instances covers the login nodes, and a head node."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.spec.beside_pools import types_beside_pools
from bedplate.validation.preflight.context import Preflight, Writer

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment

CODE = "L-1216C47A"
_STANDARD = re.compile(r"^(?:[acdhimrtz]|im|is)[0-9]")
"""Families of the standard quota: one letter and the generation (Im and Is are storage-optimised I).

Trn, Inf, Dl and Hpc begin with the same letters and have quotas of their own."""
ROW = CheckRow(
    id="PRE-009",
    title="the quota of standard instances covers the login nodes",
    what=f"The EC2 quota {CODE} (vCPUs of running On-Demand standard instances: A, C, D, H, I, M, R, T, Z) "
    "against the "
    "login nodes and the head node of a ParallelCluster, plus what such instances of the account use, plus "
    "what it has reserved of them and does "
    "not use.",
    why="Without a login node nobody can submit a job, and no multi-node check can be made.",
    fix="Ask for the sum that the report names, or choose a smaller login type.",
    by_hand=f"`aws service-quotas get-service-quota --service-code ec2 --quota-code {CODE}`",
)


def applies(environment: Environment) -> bool:
    """Where the login nodes, or the head node, are of a standard family, and are EC2's to count."""
    if environment.orchestrator.kind == "slurm-hyperpod":
        return False
    return bool(_wanted(environment))


def _wanted(environment: Environment) -> Counter[str]:
    """Standard instance types beside the pools, with how many of each."""
    wanted = types_beside_pools(environment)
    return Counter({name: count for name, count in wanted.items() if _is_standard(name)})


def _is_standard(instance_type: str) -> bool:
    return _STANDARD.match(instance_type) is not None


def check(preflight: Preflight) -> list[Verdict]:
    """Ask EC2 for the types' vCPUs, and add up."""
    from bedplate.validation.preflight.quota import judge_quota, quota_by_code
    from bedplate.validation.preflight.reserved import vcpus_reserved_unused
    from bedplate.validation.preflight.usage import is_on_demand, vcpus_in_use, vcpus_of_type

    requested = sum(
        count * vcpus_of_type(preflight, name) for name, count in _wanted(preflight.environment).items()
    )
    in_use = vcpus_in_use(
        preflight, counts=lambda one: is_on_demand(one) and _is_standard(one.get("InstanceType", ""))
    )
    in_use += vcpus_reserved_unused(preflight, counts=_is_standard)
    quota = quota_by_code(preflight, service="ec2", code=CODE)
    return [judge_quota(Writer(ROW.id), quota=quota, in_use=in_use, requested=requested, unit="vCPUs")]
