"""Capacity that the account has reserved and does not use: it counts against On-Demand quotas all the same.

EC2 User Guide, On-Demand Capacity Reservations: "Active and unused Capacity Reservations count toward your
On-Demand Instance limits", and those that are assessing, scheduled, pending or delayed do too. What the
environment's pools will launch into a reservation is in what is asked for, and is not counted twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from bedplate.capacity.locked import reservation_of
from bedplate.spec.capacity_sources import TargetedReservation
from bedplate.validation.preflight.context import Preflight
from bedplate.validation.preflight.resource_group import group_members
from bedplate.validation.preflight.usage import ENVIRONMENT_TAG, own_instances, vcpus_of_type

if TYPE_CHECKING:
    from types_boto3_ec2.type_defs import CapacityReservationTypeDef

    from bedplate.spec.pools import Pool

COUNTED_STATES = ("assessing", "scheduled", "pending", "active", "delayed")


def vcpus_reserved_unused(preflight: Preflight, *, counts: Callable[[str], bool]) -> int:
    """vCPUs that stay reserved and unused when all pools are at their largest.

    ``counts`` says whether an instance type counts. Raises ``VcpusUnknownError``.
    """
    rows = [row for row in _reservations(preflight) if counts(row.get("InstanceType", ""))]
    running = Counter(one.get("CapacityReservationId", "") for one in own_instances(preflight))
    free = {row.get("CapacityReservationId", ""): _free(row) for row in rows}
    # A pool that names its reservation goes first: it cannot go elsewhere.
    for pool in sorted(preflight.environment.pools, key=lambda one: not _named(one)):
        usable = [row.get("CapacityReservationId", "") for row in rows if _may_use(preflight, pool, row)]
        launches = max(0, pool.max_nodes - sum(running[name] for name in usable))
        for name in usable:
            taken = min(launches, free[name])
            free[name] -= taken
            launches -= taken
    return sum(
        free[row.get("CapacityReservationId", "")] * vcpus_of_type(preflight, row.get("InstanceType", ""))
        for row in rows
        if free[row.get("CapacityReservationId", "")]
    )


def _reservations(preflight: Preflight) -> list[CapacityReservationTypeDef]:
    """The account's own On-Demand reservations; those shared with it count for their owner."""
    from bedplate.validation.aws import aws_errors

    found: list[CapacityReservationTypeDef] = []
    with aws_errors("counting reserved capacity"):
        for page in preflight.clients.ec2.get_paginator("describe_capacity_reservations").paginate():
            found += page["CapacityReservations"]
    return [
        row
        for row in found
        if row.get("State") in COUNTED_STATES
        and row.get("ReservationType", "default") == "default"
        and row.get("OwnerId", preflight.environment.account) == preflight.environment.account
    ]


def _free(row: CapacityReservationTypeDef) -> int:
    """Only an active reservation can be in use."""
    member = row.get("AvailableInstanceCount") if row.get("State") == "active" else None
    return row.get("TotalInstanceCount", 0) if member is None else member


def _named(pool: Pool) -> bool:
    """Whether the pool can launch into certain reservations only."""
    return pool.capacity.source != "open-reservation"


def _may_use(preflight: Preflight, pool: Pool, row: CapacityReservationTypeDef) -> bool:
    if reservation_of(pool):
        return reservation_of(pool) == row.get("CapacityReservationId")
    if isinstance(pool.capacity, TargetedReservation):
        if pool.capacity.resource_group:
            return row.get("CapacityReservationArn") in group_members(preflight, pool.capacity.resource_group)
        return _made_for(preflight, pool, row)
    return (
        pool.capacity.source == "open-reservation"
        and row.get("InstanceMatchCriteria", "open") == "open"
        and row.get("InstanceType") == pool.instance_type
        and row.get("AvailabilityZoneId") == preflight.environment.network.zone
    )


def _made_for(preflight: Preflight, pool: Pool, row: CapacityReservationTypeDef) -> bool:
    """Whether an earlier deploy made the reservation for this pool, by the tags that the stack gives it."""
    tags = {tag.get("Key"): tag.get("Value") for tag in row.get("Tags", [])}
    return (tags.get(ENVIRONMENT_TAG), tags.get("bedplate:pool")) == (preflight.environment.name, pool.name)
