"""The capacity source alone decides placement group, market, reservation and purchase option."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bedplate.hardware import instance_type
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.spec import load_environment
from bedplate.spec.pool_hardware import pool_hardware

Case = Callable[[str], Any]

EXPECTED: dict[str, dict[str, Any]] = {
    "bought": {
        "placement": True,
        "purchase": "ONDEMAND",
        "reservation": {"CapacityReservationPreference": "none"},
    },
    "alone": {
        "placement": False,
        "purchase": "ONDEMAND",
        "reservation": {"CapacityReservationPreference": "none"},
    },
    "open": {
        "placement": False,
        "purchase": "ONDEMAND",
        "reservation": {"CapacityReservationPreference": "open"},
    },
    "targeted": {
        "placement": False,
        "purchase": "ONDEMAND",
        "reservation": {
            "CapacityReservationPreference": "capacity-reservations-only",
            "CapacityReservationTarget": {"CapacityReservationId": "cr-0123456789abcdef1"},
        },
    },
    "block": {
        "placement": False,
        "purchase": "CAPACITY_BLOCK",
        "market": "capacity-block",
        "reservation": {"CapacityReservationTarget": {"CapacityReservationId": "cr-0123456789abcdef2"}},
    },
    "grouped": {
        "placement": "research 1",
        "purchase": "ONDEMAND",
        "reservation": {
            "CapacityReservationPreference": "capacity-reservations-only",
            "CapacityReservationTarget": {
                "CapacityReservationResourceGroupArn": "arn:aws:resource-groups:us-west-2:"
                "123456789012:group/h100"
            },
        },
    },
    "lent": {
        "placement": False,
        "purchase": "INTERRUPTIBLE_CAPACITY_RESERVATION",
        "market": "interruptible-capacity-reservation",
        "reservation": {"CapacityReservationTarget": {"CapacityReservationId": "cr-0123456789abcdef4"}},
    },
    "spare": {"placement": True, "purchase": "SPOT", "market": "spot", "reservation": None},
}


def _pool(assembly: Any, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Node group and launch template data of a pool."""
    groups = assembly.resources("orchestration", "AWS::PCS::ComputeNodeGroup")
    (group,) = [each["Properties"] for each in groups.values() if each["Properties"]["Name"] == name]
    template_id = group["CustomLaunchTemplate"]["TemplateId"]["Fn::GetAtt"][0]
    template = assembly.templates["orchestration"]["Resources"][template_id]
    return group, template["Properties"]["LaunchTemplateData"]


@pytest.mark.parametrize("pool", sorted(EXPECTED))
def test_the_source_decides(case: Case, pool: str) -> None:
    """Placement group, market type, reservation and purchase option of each source are as AWS wants them."""
    group, data = _pool(case("sources"), pool)
    expected = EXPECTED[pool]
    assert group["PurchaseOption"] == expected["purchase"]
    assert ("Placement" in data) is bool(expected["placement"])
    if isinstance(expected["placement"], str):
        assert data["Placement"] == {"GroupName": expected["placement"]}
    assert data.get("InstanceMarketOptions") == (
        {"MarketType": expected["market"]} if "market" in expected else None
    )
    assert data.get("CapacityReservationSpecification") == expected["reservation"]
    assert data["InstanceType"] == group["InstanceConfigs"][0]["InstanceType"]


def test_only_placed_pools_have_a_placement_group(case: Case) -> None:
    """As many cluster placement groups are made as pools want one of their own, and none is shared."""
    found = case("sources").resources("orchestration", "AWS::EC2::PlacementGroup")
    # That of a created reservation is one more.
    assert len(found) == sum(each["placement"] is True for each in EXPECTED.values()) + 1
    assert all(each["Properties"]["Strategy"] == "cluster" for each in found.values())


def test_a_reservation_is_made_where_its_nodes_are_launched(case: Case) -> None:
    """It is for the pool's largest size, in its own group and its zone, and the template names all that."""
    assembly = case("sources")
    ((key, made),) = assembly.resources("orchestration", "AWS::EC2::CapacityReservation").items()
    group, data = _pool(assembly, "made")
    properties = made["Properties"]
    assert properties["InstanceCount"] == group["ScalingConfiguration"]["MaxInstanceCount"] == 2
    assert (properties["InstanceType"], properties["AvailabilityZoneId"]) == ("p6-b200.48xlarge", "usw2-az2")
    name = data["Placement"]["GroupName"]
    assert properties["PlacementGroupArn"]["Fn::Join"][1][-1] == name
    assert data["CapacityReservationSpecification"] == {
        "CapacityReservationPreference": "capacity-reservations-only",
        "CapacityReservationTarget": {"CapacityReservationId": {"Fn::GetAtt": [key, "Id"]}},
    }
    tags = {tag["Key"]: tag["Value"] for tag in properties["TagSpecifications"][0]["Tags"]}
    assert tags == {"Name": "bedplate-made", "bedplate:pool": "made", "bedplate:environment": "sources"}


def test_a_block_has_no_nodes_at_first(case: Case) -> None:
    """Its node group is made empty, for nodes that cannot be up yet would make the deploy fail."""
    block, _ = _pool(case("sources"), "block")
    assert block["ScalingConfiguration"] == {"MinInstanceCount": 0, "MaxInstanceCount": 2}


def test_every_pool_has_its_types_interfaces(assembly: Any) -> None:
    """In every environment the template of a pool has the layout that the pool chose of its instance type."""
    chosen = {pool.name: pool_hardware(pool) for pool in load_environment(assembly.file).pools}
    groups = assembly.resources("orchestration", "AWS::PCS::ComputeNodeGroup")
    names = [each["Properties"]["Name"] for each in groups.values()]
    for name in names:
        group, data = _pool(assembly, name)
        found = [
            (each["NetworkCardIndex"], each["DeviceIndex"], each["InterfaceType"])
            for each in data["NetworkInterfaces"]
        ]
        if name == "login":
            assert found == [(0, 0, "interface")]
            continue
        row = chosen[name]
        assert group["InstanceConfigs"] == [{"InstanceType": row.name}]
        assert found == [(each.card, each.device, each.kind) for each in row.interfaces]


def test_an_ultraserver_starts_from_an_arm64_image(case: Case) -> None:
    """GB200 nodes and Graviton login nodes take the arm64 pin, at a fixed version."""
    groups = case("ultraserver").resources("orchestration", "AWS::PCS::ComputeNodeGroup")
    images = {each["Properties"]["AmiId"] for each in groups.values()}
    (image,) = images
    assert image.startswith("{{resolve:ssm:/aws/service/pcs/ami/")
    assert "/arm64/" in image
    assert image.rstrip("}").rsplit(":", 1)[1].isdigit()


def test_elastic_pools_keep_their_bounds(case: Case) -> None:
    """A range in the file is a range in the node group; a number is both ends."""
    spare, _ = _pool(case("sources"), "spare")
    bought, _ = _pool(case("sources"), "bought")
    assert spare["ScalingConfiguration"] == {"MinInstanceCount": 0, "MaxInstanceCount": 4}
    assert bought["ScalingConfiguration"] == {"MinInstanceCount": 2, "MaxInstanceCount": 2}


def _settings(pool: Any) -> NodeSettings:
    """The node's settings in its user data; what CloudFormation fills in stands as a word."""
    parts = pool["UserData"]["Fn::Base64"]
    joined = (
        parts
        if isinstance(parts, str)
        else "".join(part if isinstance(part, str) else "filled-in" for part in parts["Fn::Join"][1])
    )
    (line,) = [line for line in joined.splitlines() if line.startswith('{"version":')]
    return NodeSettings.from_json(line)


def test_lnet_binds_what_the_type_has(demo: Any, case: Case) -> None:
    """The bootstrap is told the hardware table's LNet count with EFA, and none without."""
    with_efa = _settings(_pool(demo, "h200")[1])
    without = _settings(_pool(case("existing-vpc"), "h100")[1])
    assert with_efa.lnet_efa_count == instance_type("p5en.48xlarge").lnet_efa_count
    assert without.lnet_efa_count == 0
    assert with_efa.nvme_count == 8
    assert with_efa.result_bucket == "filled-in"
