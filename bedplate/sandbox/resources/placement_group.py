"""AWS::EC2::PlacementGroup."""

from __future__ import annotations

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.generic_handler import GenericHandler, random_id
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.sandbox import Sandbox


class PlacementGroupHandler(GenericHandler):
    """A placement group that DescribePlacementGroups tells."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def create(self, request: ResourceRequest) -> Made:
        """Create the group; names are unique in a Region."""
        made = super().create(request)
        if made.physical_id in self._sandbox.placement_groups:
            raise ResourceError(f"InvalidPlacementGroup.Duplicate: {made.physical_id}")
        self._sandbox.placement_groups[made.physical_id] = {
            "GroupName": made.physical_id,
            "GroupId": random_id("pg"),
            "GroupArn": request.arn("ec2", f"placement-group/{made.physical_id}"),
            "State": "available",
            "Strategy": request.properties.get("Strategy", "cluster"),
            "Tags": [{"Key": key, "Value": value} for key, value in request.all_tags().items()],
        }
        return made

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Forget the group."""
        self._sandbox.placement_groups.pop(made.physical_id, None)
