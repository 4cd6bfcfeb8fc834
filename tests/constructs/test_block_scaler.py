"""What wakes the scaler of Capacity Blocks, and what it may do."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

Template = dict[str, Any]
Synthesise = Callable[[Callable[[Any], object]], Template]
ROLE, PROFILE = "arn:aws:iam::111122223333:role/aws-pcs/n", "arn:aws:iam::111122223333:instance-profile/n"
GROUP = "arn:aws:pcs:us-west-2:111122223333:cluster/pcs_c/computenodegroup/pcs_g"


def _build(*settings: str) -> Callable[[Any], object]:
    def build(stack: Any) -> object:
        from bedplate.constructs.block_scaler import BlockNodeGroup, BlockScaler

        group = BlockNodeGroup(
            node_group_id="pcs_g",
            node_group_arn=GROUP,
            reservation_id="cr-0123456789abcdef0",
            minimum=64,
            warning_minutes=40,
            settings=settings,
        )
        return BlockScaler(
            stack,
            "Blocks",
            cluster_id="pcs_c",
            groups=[group],
            node_role_arn=ROLE,
            instance_profile_arn=PROFILE,
        )

    return build


@pytest.fixture
def template(synthesise: Synthesise) -> Template:
    """One node group on a block."""
    return synthesise(_build("ami-1", "7"))


def _of(template: Template, type_: str) -> list[dict[str, Any]]:
    return [each for each in template["Resources"].values() if each["Type"] == type_]


def test_the_function_knows_its_node_groups(template: Template) -> None:
    """Cluster, group, block, minimum and the moment to let go are in its environment."""
    (function,) = _of(template, "AWS::Lambda::Function")
    assert function["Properties"]["Handler"] == "scale.handler"
    assert json.loads(function["Properties"]["Environment"]["Variables"]["NODE_GROUPS"]) == [
        {
            "cluster": "pcs_c",
            "group": "pcs_g",
            "reservation": "cr-0123456789abcdef0",
            "minimum": 64,
            "warning_minutes": 40,
        }
    ]


def test_every_change_of_a_node_group_wakes_it_at_the_deploy(template: Template) -> None:
    """The custom resource's properties differ as soon as one of the node group's settings does."""
    (first,) = _of(template, "Custom::BedplateBlockScaling")
    assert first["Properties"]["NodeGroups"] == [["pcs_g", "cr-0123456789abcdef0", "64", "ami-1", "7"]]


def test_events_and_the_time_wake_it(template: Template) -> None:
    """Delivery and warning by EC2's events; every five minutes as well, since an event may be lost."""
    rules = _of(template, "AWS::Events::Rule")
    patterns = [each["Properties"].get("EventPattern") for each in rules]
    times = [each["Properties"].get("ScheduleExpression") for each in rules]
    (pattern,) = [each for each in patterns if each]
    assert "Capacity Block Reservation Delivered" in pattern["detail-type"]
    assert pattern["detail"] == {"capacity-reservation-id": ["cr-0123456789abcdef0"]}
    assert [each for each in times if each] == ["rate(5 minutes)"]
    permissions = _of(template, "AWS::Lambda::Permission")
    assert len(permissions) == 2
    assert all("SourceArn" in each["Properties"] for each in permissions)


def test_it_updates_these_node_groups_alone(template: Template) -> None:
    """What it may change is named; launching is limited to launch templates, passing to the nodes' role."""
    (policy,) = _of(template, "AWS::IAM::ManagedPolicy")
    statements = {each["Sid"]: each for each in policy["Properties"]["PolicyDocument"]["Statement"]}
    assert statements["ScaleNodeGroups"]["Resource"] == [GROUP]
    assert statements["PassNodeRole"]["Resource"] == ROLE
    assert statements["PassNodeRole"]["Condition"] == {
        "StringEquals": {"iam:PassedToService": "ec2.amazonaws.com"}
    }
    assert statements["ReadProfile"]["Resource"] == PROFILE
    assert statements["LaunchForPcs"]["Condition"] == {
        "ArnLike": {"ec2:LaunchTemplate": "arn:aws:ec2:us-west-2:111122223333:launch-template/*"}
    }
    assert all(each.startswith("ec2:Describe") for each in statements["LookForPcs"]["Action"])
    everywhere = {sid for sid, each in statements.items() if each["Resource"] == "*"}
    assert everywhere == {"LookForPcs", "LaunchForPcs", "FleetForPcs", "TagForPcs"}
