"""EC2 operations that moto lacks; all others go on to moto."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bedplate.sandbox.reservations import known_reservations
from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.ec2_blocks import CapacityBlocks
from bedplate.sandbox.services.ec2_endpoints import endpoint_services
from bedplate.sandbox.services.ec2_instances import InstanceEnds
from bedplate.sandbox.services.ec2_topology import InstanceTopology
from bedplate.sandbox.services.public_images import PublicImages
from bedplate.sandbox.services.service import ApiError, Call, Service


class Ec2Api:
    """Placement groups, capacity reservations, Capacity Blocks, AWS's images, which endpoints
    are offered, where instances stand, and their end."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._blocks = CapacityBlocks(sandbox)

    def service(self) -> Service:
        """The table of operations."""
        return Service(
            "ec2",
            {
                "DescribePlacementGroups": self._placement_groups,
                "DescribeCapacityReservations": self._reservations,
                "DescribeCapacityBlocks": self._blocks.blocks,
                "DescribeCapacityBlockStatus": self._blocks.status,
                "DescribeImages": PublicImages(self._sandbox).describe,
                "DescribeInstanceTopology": InstanceTopology(self._sandbox).describe,
                "DescribeVpcEndpointServices": endpoint_services,
                "TerminateInstances": InstanceEnds(self._sandbox).terminate,
            },
            exclusive=False,
        )

    def _placement_groups(self, call: Call) -> Mapping[str, Any]:
        groups = list(self._sandbox.placement_groups.values())
        names = call.get("GroupNames")
        if names:
            missing = [name for name in names if name not in self._sandbox.placement_groups]
            if missing:
                raise ApiError(
                    "InvalidPlacementGroup.Unknown", f"The Placement Group '{missing[0]}' is unknown."
                )
            groups = [group for group in groups if group["GroupName"] in names]
        fields = {"group-name": "GroupName", "strategy": "Strategy", "state": "State"}
        return {"PlacementGroups": _filtered(groups, call, fields)}

    def _reservations(self, call: Call) -> Mapping[str, Any]:
        known = known_reservations(self._sandbox)
        wanted = call.get("CapacityReservationIds") or list(known)
        missing = [item for item in wanted if item not in known]
        if missing:
            raise ApiError(
                "InvalidCapacityReservationId.NotFound",
                f"The Capacity Reservation ID '{missing[0]}' does not exist",
            )
        found = [{"CapacityReservationId": item, "OwnerId": call.account, **known[item]} for item in wanted]
        fields = {
            "state": "State",
            "instance-type": "InstanceType",
            "availability-zone": "AvailabilityZone",
            "availability-zone-id": "AvailabilityZoneId",
            "instance-match-criteria": "InstanceMatchCriteria",
        }
        return {"CapacityReservations": _filtered(found, call, fields)}


def _filtered(
    items: Iterable[Mapping[str, Any]], call: Call, fields: Mapping[str, str]
) -> list[Mapping[str, Any]]:
    kept = list(items)
    for each in call.get("Filters") or []:
        if each["Name"] not in fields:
            raise ApiError("InvalidParameterValue", f"SBX-018: the sandbox knows no filter {each['Name']}")
        kept = [item for item in kept if item.get(fields[each["Name"]]) in each["Values"]]
    return kept
