"""Reserved capacity: reservations that stacks make, groups of them, and launches that do not fit."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from tests.sandbox.resources.pcs_stack import pcs_resources
from tests.sandbox.stand_in import StandIn, outputs

GROUP = "arn:aws:resource-groups:us-west-2:123456789012:group/h200"
GROUP_ARN = {
    "Fn::Join": [
        "",
        [
            "arn:aws:ec2:us-west-2:",
            {"Ref": "AWS::AccountId"},
            ":placement-group/",
            {"Fn::GetAtt": ["Near", "GroupName"]},
        ],
    ]
}


def _id() -> str:
    """An id that no other test has launched into: the sandbox outlives a test."""
    return f"cr-{uuid.uuid4().hex[:17]}"


def _row(**changes: Any) -> dict[str, Any]:
    return {
        "InstanceType": "p5en.48xlarge",
        "AvailabilityZoneId": "usw2-az2",
        "State": "active",
        "TotalInstanceCount": 2,
        "AvailableInstanceCount": 2,
        **changes,
    }


def _launching(*, nodes: int = 2, option: str = "ONDEMAND", **data: Any) -> dict[str, Any]:
    """The small cluster, its template with further data."""
    resources = pcs_resources(nodes=nodes, most=2)
    resources["Template"]["Properties"]["LaunchTemplateData"].update(data)
    resources["Nodes"]["Properties"]["PurchaseOption"] = option
    return resources


def _made(*, count: int = 2, zone: str = "usw2-az2", instance_type: str = "p5en.48xlarge") -> dict[str, Any]:
    return {
        "Near": {"Type": "AWS::EC2::PlacementGroup", "Properties": {"Strategy": "cluster"}},
        "Reserved": {
            "Type": "AWS::EC2::CapacityReservation",
            "Properties": {
                "InstanceType": instance_type,
                "InstancePlatform": "Linux/UNIX",
                "InstanceCount": count,
                "AvailabilityZoneId": zone,
                "InstanceMatchCriteria": "targeted",
                "EndDateType": "unlimited",
                "PlacementGroupArn": GROUP_ARN,
                "TagSpecifications": [
                    {"ResourceType": "capacity-reservation", "Tags": [{"Key": "team", "Value": "research"}]}
                ],
            },
        },
    }


def _target(**members: Any) -> dict[str, Any]:
    return {"CapacityReservationSpecification": {"CapacityReservationTarget": members}}


IN_RESERVATION = _target(CapacityReservationId={"Fn::GetAtt": ["Reserved", "Id"]})
NEAR = {"Placement": {"GroupName": {"Fn::GetAtt": ["Near", "GroupName"]}}}


def test_nodes_launch_into_the_reservation_that_the_stack_makes(stand_in: StandIn) -> None:
    """The reservation is told as EC2 tells it, grows in place, and is gone with the stack."""
    resources = {**_made(), **_launching(**IN_RESERVATION, **NEAR)}
    told = {"Reserved": {"Value": {"Fn::GetAtt": ["Reserved", "Id"]}}}
    stack = stand_in.create(resources, Outputs=told)
    assert stack["StackStatus"] == "CREATE_COMPLETE", stand_in.reasons(stack["StackName"])
    reservation = outputs(stack)["Reserved"]
    ec2 = stand_in.client("ec2")

    def row() -> Any:
        (found,) = ec2.describe_capacity_reservations(CapacityReservationIds=[reservation])[
            "CapacityReservations"
        ]
        return found

    assert (row()["State"], row()["TotalInstanceCount"], row()["AvailableInstanceCount"]) == ("active", 2, 0)
    assert row()["PlacementGroupArn"].startswith("arn:aws:ec2:us-west-2:")
    assert row()["Tags"] == [{"Key": "team", "Value": "research"}]
    resources["Reserved"]["Properties"]["InstanceCount"] = 3
    stand_in.update(stack["StackName"], resources, Outputs=told)
    assert (row()["TotalInstanceCount"], row()["AvailableInstanceCount"]) == (3, 1)
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_COMPLETE"
    assert ec2.describe_capacity_reservations()["CapacityReservations"] == []


@pytest.mark.parametrize(
    ("resources", "words"),
    [
        (_made(count=1001), "1 to 1000"),
        (_made(zone="usw2-az9"), "not offered in usw2-az9"),
        (
            {**_made(), **_launching(**IN_RESERVATION, Placement={"GroupName": "other"})},
            "the launch in other",
        ),
        ({**_made(count=1), **_launching(**IN_RESERVATION, **NEAR)}, "1 places that fit, 2 are needed"),
        (
            {
                **_made(instance_type="p5.48xlarge"),
                **_launching(**IN_RESERVATION, **NEAR),
            },
            "InstanceType is p5.48xlarge",
        ),
    ],
    ids=["too many", "no such zone", "another group", "too small", "another type"],
)
def test_what_ec2_refuses_of_a_reservation(stand_in: StandIn, resources: dict[str, Any], words: str) -> None:
    """A reservation that cannot be made, or that a launch does not fit, ends the deploy with the reason."""
    stack = stand_in.create(resources)
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert words in stand_in.reasons(stack["StackName"])


@pytest.mark.parametrize(
    ("rows", "members", "status"),
    [
        ([_row()], 1, "CREATE_COMPLETE"),
        ([_row(AvailableInstanceCount=1), _row()], 1, "ROLLBACK_COMPLETE"),
        ([_row(AvailableInstanceCount=1), _row(AvailableInstanceCount=1)], 2, "CREATE_COMPLETE"),
        ([_row(InstanceType="p5.48xlarge")], 1, "ROLLBACK_COMPLETE"),
    ],
)
def test_a_group_gives_what_its_fitting_members_hold(
    stand_in: StandIn, rows: list[dict[str, Any]], members: int, status: str
) -> None:
    """Members that do not match are passed over, and too few instances end the launch."""
    named = {_id(): row for row in rows}
    stand_in.options(
        capacity_reservations=named,
        resource_groups={
            GROUP: {
                "configuration": [{"Type": "AWS::EC2::CapacityReservationPool"}],
                "resources": [
                    f"arn:aws:ec2:us-west-2:1:capacity-reservation/{each}" for each in list(named)[:members]
                ],
            }
        },
    )
    resources = _launching(**_target(CapacityReservationResourceGroupArn=GROUP))
    assert stand_in.create(resources)["StackStatus"] == status
    groups = stand_in.client("resource-groups")
    assert groups.get_group_configuration(Group=GROUP)["GroupConfiguration"]["Configuration"] == [
        {"Type": "AWS::EC2::CapacityReservationPool"}
    ]
    assert len(groups.list_group_resources(Group="h200")["Resources"]) == members
    with pytest.raises(groups.exceptions.NotFoundException):
        groups.list_group_resources(Group="h100")


MARKET = {"InstanceMarketOptions": {"MarketType": "interruptible-capacity-reservation"}}
OPTION = "INTERRUPTIBLE_CAPACITY_RESERVATION"


@pytest.mark.parametrize(
    ("row", "option", "data", "words"),
    [
        (_row(Interruptible=True), OPTION, MARKET, ""),
        (_row(Interruptible=True), "ONDEMAND", {}, "Interruptible is True"),
        (_row(), OPTION, MARKET, "Interruptible is False"),
        (_row(Interruptible=True), OPTION, {}, "does not go with MarketType None"),
        (_row(Interruptible=True), "ONDEMAND", MARKET, "does not go with MarketType"),
    ],
)
def test_a_lent_reservation_needs_its_market_type(
    stand_in: StandIn, row: dict[str, Any], option: str, data: dict[str, Any], words: str
) -> None:
    """Market type of the template, purchase option of the group and kind of the reservation go together."""
    lent = _id()
    stand_in.options(capacity_reservations={lent: row})
    stack = stand_in.create(_launching(option=option, **_target(CapacityReservationId=lent), **data))
    assert stack["StackStatus"] == ("ROLLBACK_COMPLETE" if words else "CREATE_COMPLETE")
    assert words in stand_in.reasons(stack["StackName"])


NOT_BEGUN = _row(
    State="scheduled",
    ReservationType="capacity-block",
    TotalInstanceCount=0,
    AvailableInstanceCount=0,
    Tags=[{"Key": "aws:ec2capacityreservation:incrementalRequestedQuantity", "Value": "2"}],
)


@pytest.mark.parametrize(
    ("row", "nodes", "words"),
    [
        (_row(State="scheduled", ReservationType="capacity-block"), 0, ""),
        (_row(State="scheduled", ReservationType="capacity-block"), 2, "State is scheduled"),
        (_row(State="expired", ReservationType="capacity-block"), 0, "is expired"),
        (NOT_BEGUN, 0, ""),
        (_row(TotalInstanceCount=1, ReservationType="capacity-block"), 0, "holds 1 instances, not 2"),
    ],
)
def test_pcs_looks_at_a_block_before_it_launches(
    stand_in: StandIn, row: dict[str, Any], nodes: int, words: str
) -> None:
    """A group without nodes may be made on a block that is still to begin, and on no smaller or ended one."""
    block = _id()
    stand_in.options(capacity_reservations={block: row})
    stack = stand_in.create(
        _launching(
            nodes=nodes,
            option="CAPACITY_BLOCK",
            InstanceType="p5en.48xlarge",
            InstanceMarketOptions={"MarketType": "capacity-block"},
            **_target(CapacityReservationId=block),
        )
    )
    assert stack["StackStatus"] == ("ROLLBACK_COMPLETE" if words else "CREATE_COMPLETE")
    assert words in stand_in.reasons(stack["StackName"])


def test_nodes_have_the_efas_that_their_template_attaches(stand_in: StandIn) -> None:
    """Bare EFAs are counted from the template's interfaces, whatever the type usually has."""
    before = set(stand_in.fleet.booted)
    interfaces = [
        {"NetworkCardIndex": card, "DeviceIndex": device, "InterfaceType": kind}
        for card, device, kind in ((0, 0, "interface"), (1, 0, "efa-only"), (3, 0, "efa-only"))
    ]
    stack = stand_in.create(_launching(NetworkInterfaces=interfaces))
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    made = [node for name, node in stand_in.fleet.booted.items() if name not in before]
    assert [node["efa_count"] for node in made] == [2, 2]
