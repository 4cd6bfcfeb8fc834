"""AWS::EC2::CapacityReservation."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from moto.ec2.models import ec2_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.generic_handler import GenericHandler, random_id
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.sandbox import Sandbox

LARGEST_RESERVATION = 1000
"""EC2 API, CreateCapacityReservation: InstanceCount is 1 to 1000."""


class CapacityReservationHandler(GenericHandler):
    """A reservation that DescribeCapacityReservations tells and that node groups launch into.

    EC2 refuses a type that the zone does not offer, and a placement group that is not there or of another
    strategy than cluster; capacity itself is never short here.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def create(self, request: ResourceRequest) -> Made:
        """Reserve."""
        self._refuse_what_ec2_refuses(request)
        made = super().create(request)
        self._record(request, made)
        return made

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Another number of instances, or another end."""
        self._refuse_what_ec2_refuses(request)
        new = super().update(request, made, old)
        self._record(request, new)
        return new

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Cancel; EC2 shows a cancelled reservation for a while, which is not played."""
        self._sandbox.capacity_reservations.pop(made.physical_id, None)

    def attributes(self, request: ResourceRequest, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Id, ARN and counts in EC2's style; the id stays when the reservation is changed."""
        known = str(values.get("Id", ""))
        reservation = known if known in self._sandbox.capacity_reservations else random_id("cr")
        count = int(request.properties["InstanceCount"])
        return {
            "Id": reservation,
            "CapacityReservationArn": request.arn("ec2", f"capacity-reservation/{reservation}"),
            "OwnerId": request.account,
            "State": "active",
            "ReservationType": "default",
            "TotalInstanceCount": count,
            "AvailableInstanceCount": count,
        }

    def _record(self, request: ResourceRequest, made: Made) -> None:
        state = made.state
        known = self._sandbox.capacity_reservations.get(made.physical_id, {})
        told = (
            "InstanceType",
            "InstancePlatform",
            "AvailabilityZoneId",
            "InstanceMatchCriteria",
            "EndDateType",
            "PlacementGroupArn",
            "CapacityReservationArn",
            "OwnerId",
            "State",
            "ReservationType",
            "TotalInstanceCount",
            "AvailableInstanceCount",
        )
        self._sandbox.capacity_reservations[made.physical_id] = {
            **{name: state[name] for name in told if name in state},
            "StartDate": known.get("StartDate", datetime.now(UTC)),
            "Tags": [tag for each in state.get("TagSpecifications") or [] for tag in each.get("Tags") or []],
        }

    def _refuse_what_ec2_refuses(self, request: ResourceRequest) -> None:
        properties = request.properties
        count = int(properties["InstanceCount"])
        if not 1 <= count <= LARGEST_RESERVATION:
            raise ResourceError(f"InvalidParameterValue: InstanceCount {count}; 1 to {LARGEST_RESERVATION}")
        zone, kind = properties.get("AvailabilityZoneId"), properties["InstanceType"]
        offers = ec2_backends[request.account][request.region].describe_instance_type_offerings(
            location_type="availability-zone-id", filters={"instance-type": [kind], "location": [zone]}
        )
        if not offers:
            raise ResourceError(f"Unsupported: {kind} is not offered in {zone}")
        arn = properties.get("PlacementGroupArn")
        if arn is None:
            return
        groups = {group["GroupArn"]: group for group in self._sandbox.placement_groups.values()}
        if arn not in groups:
            raise ResourceError(f"InvalidPlacementGroup.Unknown: {arn} does not exist")
        if groups[arn]["Strategy"] != "cluster":
            raise ResourceError(f"InvalidParameterValue: {arn} is no cluster placement group")
