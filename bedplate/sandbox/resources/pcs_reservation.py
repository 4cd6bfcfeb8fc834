"""What EC2 and PCS refuse of a node group that takes reserved capacity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moto.ec2.models import ec2_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import ResourceRequest
from bedplate.sandbox.reservations import (
    known_reservations,
    reservations_of_group,
    resource_groups,
    size_of,
)
from bedplate.sandbox.sandbox import Sandbox

MARKETS = {
    "SPOT": "spot",
    "CAPACITY_BLOCK": "capacity-block",
    "INTERRUPTIBLE_CAPACITY_RESERVATION": "interruptible-capacity-reservation",
}
"""Purchase option → market type that the launch template must carry; On-Demand carries none."""

Row = Mapping[str, Any]


def places(sandbox: Sandbox, request: ResourceRequest, group: Row, template: Row, *, count: int) -> list[str]:
    """The reservation of each of ``count`` instances that are to be launched; none where no target is named.

    Raises ``ResourceError`` for what EC2 refuses: a target that is not there, that the launch does not fit,
    or that has too few places left. Members of a resource group that do not fit are passed over.
    """
    target = (template.get("CapacityReservationSpecification") or {}).get("CapacityReservationTarget") or {}
    known = known_reservations(sandbox)
    arn, reservation = target.get("CapacityReservationResourceGroupArn"), target.get("CapacityReservationId")
    if arn is not None:
        if arn not in resource_groups(sandbox):
            raise ResourceError(f"InvalidParameterValue: the resource group {arn} does not exist")
        members = [each for each in reservations_of_group(sandbox, arn) if each in known]
        usable = [each for each in members if not _misfit(request, group, template, known[each])]
    elif reservation is not None:
        misfit = _misfit(request, group, template, _known(known, reservation))
        if misfit:
            raise ResourceError(f"{reservation}: {misfit}")
        usable = [reservation]
    else:
        return []
    free = [each for each in usable for _ in range(known[each]["AvailableInstanceCount"])]
    if len(free) < count:
        raise ResourceError(
            f"InsufficientInstanceCapacity: {arn or reservation} has {len(free)} places that fit, "
            f"{count} are needed"
        )
    return free[:count]


def check_purchase(sandbox: Sandbox, group: Row, template: Row) -> None:
    """Refuse a node group that PCS would refuse, whether it launches at once or not."""
    option = group.get("PurchaseOption") or "ONDEMAND"
    market = (template.get("InstanceMarketOptions") or {}).get("MarketType")
    if market != MARKETS.get(option):
        raise ResourceError(f"ValidationException: {option} does not go with MarketType {market}")
    if option != "CAPACITY_BLOCK":
        return
    if not template.get("InstanceType"):
        raise ResourceError(
            "ValidationException: a Capacity Block needs MarketType and InstanceType in the template"
        )
    target = (template.get("CapacityReservationSpecification") or {}).get("CapacityReservationTarget") or {}
    reservation = str(target.get("CapacityReservationId"))
    row = _known(known_reservations(sandbox), reservation)
    if row.get("State") not in ("scheduled", "active"):
        raise ResourceError(f"ValidationException: {reservation} is {row.get('State')}")
    _check_size(reservation, row, group)


def _known(known: Mapping[str, Row], reservation: str) -> Row:
    if reservation not in known:
        raise ResourceError(f"InvalidCapacityReservationId.NotFound: {reservation} does not exist")
    return known[reservation]


def _misfit(request: ResourceRequest, group: Row, template: Row, row: Row) -> str:
    """Why a launch does not fit a reservation; empty where it does."""
    subnet = ec2_backends[request.account][request.region].get_subnet(group["SubnetIds"][0])
    wanted = {
        "InstanceType": group["InstanceConfigs"][0]["InstanceType"],
        "AvailabilityZoneId": subnet.availability_zone_id,
        "State": "active",
    }
    for name, value in wanted.items():
        if row.get(name) != value:
            return f"{name} is {row.get(name)}, the launch needs {value}"
    market = (template.get("InstanceMarketOptions") or {}).get("MarketType")
    if bool(row.get("Interruptible")) != (market == "interruptible-capacity-reservation"):
        return f"Interruptible is {bool(row.get('Interruptible'))}, MarketType {market}"
    # A launch that names a reservation and no group goes where the reservation lies; one that names another
    # group, or one over a reservation in none, finds no capacity (EC2 User Guide, cr-cpg).
    inside = str(row.get("PlacementGroupArn") or "").partition(":placement-group/")[2]
    named = str((template.get("Placement") or {}).get("GroupName") or "")
    if named and inside != named:
        where = inside or "no placement group"
        return f"InsufficientInstanceCapacity: it lies in {where}, the launch in {named}"
    return ""


def _check_size(reservation: str, row: Row, group: Row) -> None:
    most = int(group["ScalingConfiguration"]["MaxInstanceCount"])
    if most > size_of(row):
        raise ResourceError(f"{reservation} holds {size_of(row)} instances, not {most}")
