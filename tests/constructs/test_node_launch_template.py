"""The launch template's interface layout, market and safety settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bedplate.hardware import INSTANCE_TYPES, Interface

Resources = Callable[[Any, str], dict[str, Any]]


def _data(resources: Resources, **props: Any) -> dict[str, Any]:
    def build(stack: Any) -> None:
        from bedplate.constructs.node_launch_template import NodeLaunchTemplate

        NodeLaunchTemplate(stack, "Launch", security_group_ids=["sg-1"], user_data="#!/bin/bash\n", **props)

    (template,) = resources(build, "AWS::EC2::LaunchTemplate").values()
    data: dict[str, Any] = template["Properties"]["LaunchTemplateData"]
    return data


@pytest.mark.parametrize("name", sorted(INSTANCE_TYPES))
def test_the_interfaces_are_the_hardware_tables(resources: Resources, name: str) -> None:
    """Card, device and kind of every interface equal the type's row, and each holds the groups."""
    row = INSTANCE_TYPES[name]
    found = _data(resources, interfaces=row.interfaces)["NetworkInterfaces"]
    assert [(each["NetworkCardIndex"], each["DeviceIndex"], each["InterfaceType"]) for each in found] == [
        (each.card, each.device, each.kind) for each in row.interfaces
    ]
    assert all(each["Groups"] == ["sg-1"] and each["DeleteOnTermination"] is True for each in found)
    assert sum(each["InterfaceType"] == "efa-only" for each in found) == row.efa_count


def test_security_groups_stand_in_the_interfaces_alone(resources: Resources) -> None:
    """EC2 refuses groups beside a list of interfaces, and several interfaces refuse a public address."""
    data = _data(resources)
    assert "SecurityGroupIds" not in data
    assert "AssociatePublicIpAddress" not in data["NetworkInterfaces"][0]


def test_metadata_service_and_root_volume_are_safe(resources: Resources) -> None:
    """The metadata service wants a token, and the root volume is gp3 and encrypted."""
    data = _data(resources)
    assert data["MetadataOptions"]["HttpTokens"] == "required"
    assert data["BlockDeviceMappings"][0]["Ebs"] == {
        "VolumeSize": 300,
        "VolumeType": "gp3",
        "Encrypted": True,
        "DeleteOnTermination": True,
    }


def test_a_block_names_market_reservation_and_type(resources: Resources) -> None:
    """A Capacity Block launches only with market type, reservation id and instance type in the template."""
    data = _data(
        resources,
        instance_type="p5en.48xlarge",
        market_type="capacity-block",
        reservation_id="cr-0123456789abcdef0",
    )
    assert data["InstanceType"] == "p5en.48xlarge"
    assert data["InstanceMarketOptions"] == {"MarketType": "capacity-block"}
    assert data["CapacityReservationSpecification"] == {
        "CapacityReservationTarget": {"CapacityReservationId": "cr-0123456789abcdef0"}
    }


def test_a_group_of_reservations_is_a_target(resources: Resources) -> None:
    """The ARN of a resource group goes where a reservation's id would, and never beside one."""
    arn = "arn:aws:resource-groups:us-west-2:123456789012:group/h200"
    data = _data(resources, resource_group_arn=arn, reservation_preference="capacity-reservations-only")
    assert data["CapacityReservationSpecification"] == {
        "CapacityReservationPreference": "capacity-reservations-only",
        "CapacityReservationTarget": {"CapacityReservationResourceGroupArn": arn},
    }
    with pytest.raises(ValueError, match="not both"):
        _data(resources, resource_group_arn=arn, reservation_id="cr-0123456789abcdef0")


@pytest.mark.parametrize(
    ("instance_type", "interfaces", "words"),
    [
        (
            "p6-b300.48xlarge",
            [(0, 0, "interface"), (0, 1, "efa-only")],
            "card 0 device 1: the card has no EFA",
        ),
        ("p5en.48xlarge", [(0, 0, "interface"), (16, 0, "efa-only")], "cards 0 to 15"),
        ("p5.48xlarge", [(0, 0, "interface"), (3, 2, "interface")], "devices 0 to 1"),
        ("m7i.4xlarge", [(0, 0, "efa-only")], "primary interface"),
    ],
)
def test_interfaces_are_held_against_the_type(
    resources: Resources, instance_type: str, interfaces: list[tuple[int, int, str]], words: str
) -> None:
    """A list that the cards of the type do not take is refused at synthesis, with the place at fault."""
    with pytest.raises(ValueError, match=words):
        _data(
            resources,
            instance_type=instance_type,
            interfaces=[Interface(*each) for each in interfaces],
        )


def test_nothing_asked_is_nothing_written(resources: Resources) -> None:
    """Without plan there is no market, reservation, placement or tag in the template."""
    data = _data(resources)
    for key in (
        "InstanceMarketOptions",
        "CapacityReservationSpecification",
        "Placement",
        "TagSpecifications",
    ):
        assert key not in data


def test_tags_go_to_instances_and_volumes(resources: Resources) -> None:
    """Tags are written in a fixed order for both kinds."""
    data = _data(resources, instance_tags={"b": "2", "a": "1"})
    tags = [{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}]
    assert data["TagSpecifications"] == [
        {"ResourceType": "instance", "Tags": tags},
        {"ResourceType": "volume", "Tags": tags},
    ]
