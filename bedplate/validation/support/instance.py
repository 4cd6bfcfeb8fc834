"""What EC2 tells of an instance now: where it stands, since when, and on whose capacity."""

from __future__ import annotations

from typing import Any

from bedplate.errors import AwsRefused
from bedplate.validation.aws import AwsClients, aws_errors

_TOLD = ("InstanceType", "ImageId", "CapacityReservationId", "StateTransitionReason")


def about_instance(*, clients: AwsClients, instance_id: str) -> dict[str, Any]:
    """Type, image, state, launch, zone, reservation; only ``problem`` where EC2 does not say.

    An instance that was ended is told for about an hour and then forgotten, which is no reason to have no
    archive.
    """
    try:
        with aws_errors(f"asking about {instance_id}"):
            answer = clients.ec2.describe_instances(InstanceIds=[instance_id])
    except AwsRefused as error:
        return {"problem": error.message}
    rows = [row for each in answer.get("Reservations", []) for row in each.get("Instances", [])]
    if len(rows) != 1:
        return {"problem": "EC2 knows no such instance any more"}
    row: Any = rows[0]
    placement = row.get("Placement") or {}
    launched = row.get("LaunchTime")
    found = {
        **{name: row.get(name) for name in _TOLD},
        "State": (row.get("State") or {}).get("Name"),
        "LaunchTime": launched.isoformat() if launched else None,
        "AvailabilityZone": placement.get("AvailabilityZone"),
        "AvailabilityZoneId": placement.get("AvailabilityZoneId"),
        "PlacementGroup": placement.get("GroupName"),
    }
    return {name: value for name, value in found.items() if value}
