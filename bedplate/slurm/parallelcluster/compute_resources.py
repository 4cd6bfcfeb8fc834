"""From a pool's launch plan to a compute resource.

Sources: ParallelCluster documentation, "Scheduling section" and "Launch instances with Capacity Blocks"; the
schema of aws-parallelcluster 3.16.1.
"""

from __future__ import annotations

from typing import Any

from bedplate.capacity import LaunchPlan, launch_plan
from bedplate.capacity.launch_plan import NO_GROUP, OWN_GROUP
from bedplate.slurm.parallelcluster.surroundings import Surroundings
from bedplate.spec.pool_hardware import pool_hardware
from bedplate.spec.pools import Pool

_CAPACITY_TYPES = ("ONDEMAND", "SPOT", "CAPACITY_BLOCK")


def pool_plan(pool: Pool, around: Surroundings) -> LaunchPlan:
    """How the pool's nodes are launched."""
    return launch_plan(pool=pool, instance_type=pool_hardware(pool), zone_id=around.zone_id)


def capacity_type(plan: LaunchPlan) -> str:
    """What a queue calls the way its nodes are bought. ``ValueError`` for one that it has no word for."""
    if plan.purchase_option not in _CAPACITY_TYPES:
        raise ValueError(f"ParallelCluster cannot launch by {plan.purchase_option}")
    return plan.purchase_option


def compute_resource(pool: Pool, around: Surroundings) -> dict[str, Any]:
    """The compute resource of a pool: its name is the pool's.

    ParallelCluster's own check of GPUs stays off: it runs DCGM before every job, for up to ten minutes, where
    the prolog of ours asks within half a minute.
    """
    plan, hardware = pool_plan(pool, around), pool_hardware(pool)
    least = plan.max_nodes if plan.purchase_option == "CAPACITY_BLOCK" else plan.min_nodes
    made: dict[str, Any] = {
        "Name": pool.name,
        "InstanceType": hardware.name,
        # A block's nodes are all there or none is: ParallelCluster takes no other numbers for it.
        "MinCount": least,
        "MaxCount": plan.max_nodes,
        "Efa": {"Enabled": hardware.efa_count > 0},
        "HealthChecks": {"Gpu": {"Enabled": False}},
        "Networking": {"PlacementGroup": _placement(pool, plan, around)},
        "Tags": [{"Key": "bedplate:pool", "Value": pool.name}],
    }
    target = _reservation(pool, plan, around)
    return {**made, "CapacityReservationTarget": target} if target else made


def _placement(pool: Pool, plan: LaunchPlan, around: Surroundings) -> dict[str, Any]:
    """EFA asks for a choice in any case."""
    if plan.placement_group == NO_GROUP:
        return {"Enabled": False}
    made = around.groups.get(pool.name)
    if plan.placement_group != OWN_GROUP:
        return {"Name": plan.placement_group}
    return {"Name": made} if made else {"Enabled": True}


def _reservation(pool: Pool, plan: LaunchPlan, around: Surroundings) -> dict[str, str]:
    made = around.reservations.get(pool.name) or plan.reservation_id
    if plan.create_reservation and not made:
        raise ValueError(f"pool {pool.name}: the reservation that is made for it is not named")
    if made:
        return {"CapacityReservationId": made}
    if plan.resource_group_arn:
        return {"CapacityReservationResourceGroupArn": plan.resource_group_arn}
    return {}
