"""PRE-035: SageMaker's quotas cover the nodes of a HyperPod cluster."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from bedplate.explanation import CheckRow
from bedplate.slurm.pcs_cluster_shape import cluster_name
from bedplate.spec.beside_pools import types_beside_pools
from bedplate.validation.preflight.context import Preflight, Writer

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment

_SUFFIX = " for cluster usage"
ROW = CheckRow(
    id="PRE-035",
    title="SageMaker's quotas cover the nodes of the HyperPod cluster",
    what="For each instance type of the controller, the login nodes and the On-Demand pools the quota "
    "`ml.TYPE for cluster usage` of SageMaker against the nodes of that type, plus those that other HyperPod "
    "clusters of the account have. Pools on Spot or a training plan count against other quotas, which are "
    "not looked at.",
    why="HyperPod's instances count against SageMaker's quotas, not EC2's; in a new account those of P "
    "instances are 0.",
    fix="Ask for the sum that the report names, with the command that it prints.",
    by_hand="`aws service-quotas list-service-quotas --service-code sagemaker` lists them by name",
)


def applies(environment: Environment) -> bool:
    """Where the orchestrator is HyperPod."""
    return environment.orchestrator.kind == "slurm-hyperpod"


def check(preflight: Preflight) -> list[Verdict]:
    """One verdict where all fit, else one for each that does not."""
    from bedplate.validation.preflight.quota import first_that_fails, judge_quota, quotas_by_name

    writer, wanted = Writer(ROW.id), _wanted(preflight.environment)
    names = {f"ml.{each}{_SUFFIX}": each for each in wanted}
    listed = quotas_by_name(preflight, service="sagemaker", fits=names.__contains__)
    quotas = {quota.name.lower(): quota for quota in listed}
    in_use = _in_use(preflight)
    found: list[Verdict] = []
    for name, instance_type in names.items():
        if name not in quotas:
            found.append(writer.not_made(f"SageMaker lists no quota {name!r}"))
            continue
        found.append(
            judge_quota(
                writer,
                quota=quotas[name],
                in_use=in_use[f"ml.{instance_type}"],
                requested=wanted[instance_type],
                unit="nodes",
            )
        )
    return first_that_fails(writer, found)


def _wanted(environment: Environment) -> Counter[str]:
    """EC2's type → how many nodes."""
    wanted = types_beside_pools(environment)
    for pool in environment.pools:
        if pool.capacity.source == "on-demand":
            wanted[pool.instance_type] += pool.max_nodes
    return wanted


def _in_use(preflight: Preflight) -> Counter[str]:
    """SageMaker's type → nodes of other clusters of the account in the Region."""
    from bedplate.validation.aws import aws_errors

    own, used = cluster_name(preflight.environment.name), Counter[str]()
    sagemaker: Any = preflight.clients.sagemaker
    with aws_errors("counting the nodes of HyperPod clusters"):
        for page in sagemaker.get_paginator("list_clusters").paginate():
            for cluster in page["ClusterSummaries"]:
                if cluster["ClusterName"] == own:
                    continue
                nodes = sagemaker.get_paginator("list_cluster_nodes")
                for rows in nodes.paginate(ClusterName=cluster["ClusterName"]):
                    used.update(row["InstanceType"] for row in rows["ClusterNodeSummaries"])
    return used
