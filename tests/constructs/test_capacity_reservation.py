"""A reservation of the stack's own, in the placement group that its nodes are launched into."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Synthesise = Callable[[Any], dict[str, Any]]


def _template(synthesise: Synthesise, **props: Any) -> dict[str, Any]:
    def build(stack: Any) -> None:
        from bedplate.constructs.capacity_reservation import CapacityReservation
        from bedplate.constructs.cluster_placement_group import ClusterPlacementGroup

        group = ClusterPlacementGroup(stack, "Group")
        CapacityReservation(
            stack,
            "Reserved",
            instance_type="p5en.48xlarge",
            zone_id="usw2-az2",
            placement_group_arn=group.group_arn,
            **props,
        )

    resources: dict[str, Any] = synthesise(build)["Resources"]
    return resources


def test_the_reservation_is_targeted_and_has_no_end(synthesise: Synthesise) -> None:
    """Only launches that name it use it, and it stays until it is deleted; it lies in the given group."""
    made = _template(synthesise, instances=8, tags={"team": "research", "Name": "h200"})
    (group,) = [key for key, value in made.items() if value["Type"] == "AWS::EC2::PlacementGroup"]
    (found,) = [value for value in made.values() if value["Type"] == "AWS::EC2::CapacityReservation"]
    properties = found["Properties"]
    arn = properties.pop("PlacementGroupArn")
    assert arn["Fn::Join"][1][-1] == {"Fn::GetAtt": [group, "GroupName"]}
    assert arn["Fn::Join"][1][-2].endswith(":ec2:us-west-2:111122223333:placement-group/")
    assert properties == {
        "InstanceType": "p5en.48xlarge",
        "InstancePlatform": "Linux/UNIX",
        "InstanceCount": 8,
        "AvailabilityZoneId": "usw2-az2",
        "InstanceMatchCriteria": "targeted",
        "EndDateType": "unlimited",
        "TagSpecifications": [
            {
                "ResourceType": "capacity-reservation",
                "Tags": [{"Key": "Name", "Value": "h200"}, {"Key": "team", "Value": "research"}],
            }
        ],
    }


@pytest.mark.parametrize("instances", [0, 1001])
def test_ec2_takes_one_to_a_thousand(synthesise: Synthesise, instances: int) -> None:
    """A number that EC2 does not take is refused at synthesis."""
    with pytest.raises(ValueError, match="1 to 1000"):
        _template(synthesise, instances=instances)
