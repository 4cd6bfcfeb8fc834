"""What EC2 and PCS refuse of a node group that takes reserved capacity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moto.ec2.models import ec2_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import ResourceRequest
from bedplate.sandbox.reservations import known_reservations, reservations_of_group, resource_groups
from bedplate.sandbox.sandbox import Sandbox

MARKETS = {
    "SPOT": "spot",
    "CAPACITY_BLOCK": "capacity-block",
    "INTERRUPTIBLE_CAPACITY_RESERVATION": "interruptible-capacity-reservation",
}
"""Purchase option → market type that the launch template must carry; On-Demand carries none."""

Row = Mapping[str, Any]


def check_launch(sandbox: Sandbox, request: ResourceRequest, group: Row, template: Row) -> None:
    """Refuse a launch that EC2 would refuse; raises ``ResourceError``."""
    target = (template.get("CapacityReservationSpecification") or {}).get("CapacityReservationTarget") or {}
    known = known_reservations(sandbox)
    if "CapacityReservationResourceGroupArn" in target:
        arn = target["CapacityReservationResourceGroupArn"]
        if arn not in resource_groups(sandbox):
            raise ResourceError(f"InvalidParameterValue: the resource group {arn} does not exist")
        ids = reservations_of_group(sandbox, arn)
        rows = [known[each] for each in ids if each in known]
        fitting = [row for row in rows if not _misfit(request, group, template, row)]
        if sum(int(row["TotalInstanceCount"]) for row in fitting) < _most(group):
            raise ResourceError(f"InsufficientInstanceCapacity: {arn} holds too few instances that match")
        return
    reservation = target.get("CapacityReservationId")
    if reservation is None:
        return
    row = _known(known, reservation)
    misfit = _misfit(request, group, template, row)
    if misfit:
        raise ResourceError(f"{reservation}: {misfit}")
    _check_size(reservation, row, group)


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
    if _most(group) > int(row["TotalInstanceCount"]):
        raise ResourceError(f"{reservation} holds {row['TotalInstanceCount']} instances, not {_most(group)}")


def _most(group: Row) -> int:
    return int(group["ScalingConfiguration"]["MaxInstanceCount"])
