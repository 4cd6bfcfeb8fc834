"""The capacity source alone decides placement group, market, reservation and purchase option."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from bedplate.hardware import instance_type

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
    assert ("Placement" in data) is expected["placement"]
    assert data.get("InstanceMarketOptions") == (
        {"MarketType": expected["market"]} if "market" in expected else None
    )
    assert data.get("CapacityReservationSpecification") == expected["reservation"]
    assert data["InstanceType"] == group["InstanceConfigs"][0]["InstanceType"]


def test_only_placed_pools_have_a_placement_group(case: Case) -> None:
    """There are as many cluster placement groups as pools that want one, and none is shared."""
    found = case("sources").resources("orchestration", "AWS::EC2::PlacementGroup")
    assert len(found) == sum(each["placement"] for each in EXPECTED.values())
    assert all(each["Properties"]["Strategy"] == "cluster" for each in found.values())


def test_every_pool_has_its_types_interfaces(assembly: Any) -> None:
    """In every environment the template of a pool has the EFA layout of its instance type."""
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
        row = instance_type(group["InstanceConfigs"][0]["InstanceType"])
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


def test_lnet_binds_what_the_type_has(demo: Any, case: Case) -> None:
    """The bootstrap asks for the hardware table's LNet count with EFA, and for no LNet set-up without."""
    with_efa = json.dumps(_pool(demo, "h200")[1]["UserData"])
    without = json.dumps(_pool(case("existing-vpc"), "h100")[1]["UserData"])
    assert f"LNET_EFA_COUNT={instance_type('p5en.48xlarge').lnet_efa_count}\\n" in with_efa
    assert "set_up_lnet mount_lustre'" in with_efa
    assert "LNET_EFA_COUNT=0\\n" in without
    assert "set_up_lnet mount_lustre'" not in without
    assert "make_scratch mount_lustre'" not in without
