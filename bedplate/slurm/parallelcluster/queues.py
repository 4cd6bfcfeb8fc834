"""From a partition and its pools to a queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bedplate.slurm.parallelcluster.compute_resources import capacity_type, compute_resource, pool_plan
from bedplate.slurm.parallelcluster.surroundings import NodeScript, Surroundings
from bedplate.slurm.settings import queue_settings
from bedplate.spec.orchestrator import Partition
from bedplate.spec.pool_hardware import pool_hardware
from bedplate.spec.pools import Pool

KIND = "slurm-parallelcluster"
SCRATCH = "/scratch"


def queue(partition: Partition, pools: Sequence[Pool], around: Surroundings) -> dict[str, Any]:
    """The queue of a partition, one compute resource a pool. ``ValueError`` where pools of one queue are
    bought in two ways, or have two architectures: a queue has one capacity type and one image.
    """
    types = {capacity_type(pool_plan(pool, around)) for pool in pools}
    architectures = {pool_hardware(pool).architecture for pool in pools}
    if len(types) != 1 or len(architectures) != 1:
        raise ValueError(f"partition {partition.name}: its pools need {types} and {architectures}")
    image = around.images.get(architectures.pop())
    settings = queue_settings(partition, kind=KIND)
    made: dict[str, Any] = {
        "Name": partition.name,
        "CapacityType": types.pop(),
        "Networking": {
            "SubnetIds": [around.gpu_subnet_id],
            "SecurityGroups": [around.security_group_id],
        },
        # ParallelCluster makes a volume of the instance-store disks; it cannot be told not to.
        "ComputeSettings": {"LocalStorage": {"EphemeralVolume": {"MountDir": SCRATCH}}},
        "Iam": node_rights(around.policy_arns),
        "CustomActions": custom_actions(around.script, [pool.name for pool in pools]),
        "ComputeResources": [compute_resource(pool, around) for pool in pools],
    }
    if image:
        made["Image"] = {"CustomAmi": image}
    if settings:
        made["CustomSlurmSettings"] = settings
    return made


def node_rights(policy_arns: Sequence[str]) -> Mapping[str, Any]:
    """The rights of a node beside those that ParallelCluster gives it."""
    return {"AdditionalIamPolicies": [{"Policy": arn} for arn in policy_arns]}


def custom_actions(script: NodeScript, names: Sequence[str]) -> Mapping[str, Any]:
    """The script at both moments; it finds out by itself which of ``names`` a node belongs to."""
    settings = [script.settings[name] for name in names]
    return {
        action: {"Script": script.url, "Args": [stage, *script.arguments, *settings]}
        for action, stage in (("OnNodeStart", "start"), ("OnNodeConfigured", "configured"))
    }
