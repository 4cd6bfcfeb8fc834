"""PRE-030: the group of reservations is one, and holds enough that the pool can use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.spec.capacity_sources import TargetedReservation
from bedplate.validation.preflight.context import Preflight, Writer, of_pool
from bedplate.validation.preflight.reservation import placement_group_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from types_boto3_ec2.type_defs import CapacityReservationTypeDef

    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment
    from bedplate.spec.pools import Pool

POOL_TYPE = "AWS::EC2::CapacityReservationPool"
"""Type that makes a resource group a target of launches (Resource Groups, service configurations)."""
ROW = CheckRow(
    id="PRE-030",
    title="the group of reservations is one, and fits the pool",
    what=f"That the resource group exists and is configured as {POOL_TYPE} (GetGroupConfiguration), and that "
    "its active On-Demand reservations of the pool's type, zone and placement group hold enough instances "
    "for the pool's greatest size (ListGroupResources, DescribeCapacityReservations).",
    why="EC2 launches into a group's reservations only where it is of that type. Members of another type, "
    "zone or placement group are passed over in silence, and the launch fails with "
    "InsufficientInstanceCapacity.",
    fix="Create the group with the type that is asked for, add reservations of the pool's type and zone, or "
    "correct `capacity.placement_group`.",
    by_hand="`aws resource-groups get-group-configuration --group ARN` and `aws resource-groups "
    "list-group-resources --group ARN`",
)


def applies(environment: Environment) -> bool:
    """Where a pool names a resource group."""
    return any(_group(pool) for pool in environment.pools)


def check(preflight: Preflight) -> list[Verdict]:
    """One verdict for each pool that names a group."""
    named = [(pool, _group(pool)) for pool in preflight.environment.pools]
    return [_pool(preflight, pool, arn) for pool, arn in named if arn]


def group_members(preflight: Preflight, arn: str) -> list[str]:
    """ARNs of the capacity reservations in a group; those of other resources are left out."""
    from bedplate.validation.aws import aws_errors

    with aws_errors(f"listing the resource group {arn}"):
        pages = preflight.clients.resource_groups.get_paginator("list_group_resources").paginate(Group=arn)
        found = [item.get("Identifier", {}) for page in pages for item in page.get("Resources", [])]
    return [str(each.get("ResourceArn")) for each in found if ":capacity-reservation/" in str(each)]


def _pool(preflight: Preflight, pool: Pool, arn: str) -> Verdict:
    writer = of_pool(ROW.id, pool)
    kinds = _configuration(preflight, arn)
    if kinds is None:
        return writer.failed(f"there is no resource group {arn}", remedy=ROW.fix)
    if POOL_TYPE not in kinds:
        told = ", ".join(kinds) or "nothing"
        return writer.failed(
            f"the group is configured as {told}", measured=told, expected=POOL_TYPE, remedy=ROW.fix
        )
    members = set(group_members(preflight, arn))
    rows = [row for row in _reservations(preflight) if row.get("CapacityReservationArn") in members]
    return judge(writer, pool=pool, rows=rows, members=len(members), zone=preflight.environment.network.zone)


def judge(
    writer: Writer, *, pool: Pool, rows: Sequence[CapacityReservationTypeDef], members: int, zone: str
) -> Verdict:
    """Hold the reservations of a group against a pool; pure.

    ``rows`` are those that EC2 tells of, ``members`` how many the group lists.
    """
    usable = [row for row in rows if _fits(pool, row, zone)]
    instances = sum(row.get("TotalInstanceCount", 0) for row in usable)
    told = f"{instances} instances in {len(usable)} of {members} reservations fit the pool"
    expected = f"{pool.max_nodes} × {pool.instance_type} in {zone}"
    if instances < pool.max_nodes:
        return writer.failed(told, measured=instances, expected=expected, remedy=ROW.fix)
    return writer.passed(told, measured=instances, expected=expected)


def _fits(pool: Pool, row: CapacityReservationTypeDef, zone: str) -> bool:
    return (
        row.get("State") == "active"
        and row.get("ReservationType", "default") == "default"
        and not row.get("Interruptible", False)
        and row.get("InstanceType") == pool.instance_type
        and row.get("AvailabilityZoneId") == zone
        and _placement(pool) in ("", placement_group_of(row))
    )


def _placement(pool: Pool) -> str:
    return str(getattr(pool.capacity, "placement_group", None) or "")


def _configuration(preflight: Preflight, arn: str) -> list[str] | None:
    """The types that the group is configured as; None where there is no such group."""
    from botocore.exceptions import ClientError

    from bedplate.errors import AwsRefused
    from bedplate.validation.aws import aws_errors, error_code

    try:
        with aws_errors(f"reading the resource group {arn}"):
            answer = preflight.clients.resource_groups.get_group_configuration(Group=arn)
    except AwsRefused as error:
        cause = error.__cause__
        if isinstance(cause, ClientError) and error_code(cause) == "NotFoundException":
            return None
        raise
    items = answer.get("GroupConfiguration", {}).get("Configuration", [])
    return [str(item.get("Type")) for item in items]


def _reservations(preflight: Preflight) -> list[CapacityReservationTypeDef]:
    from bedplate.validation.aws import aws_errors

    found: list[CapacityReservationTypeDef] = []
    with aws_errors("reading the reservations of a resource group"):
        for page in preflight.clients.ec2.get_paginator("describe_capacity_reservations").paginate():
            found += page["CapacityReservations"]
    return found


def _group(pool: Pool) -> str | None:
    return pool.capacity.resource_group if isinstance(pool.capacity, TargetedReservation) else None
