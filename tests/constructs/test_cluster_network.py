"""A VPC laid around one zone of capacity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Synthesise = Callable[[Any], dict[str, Any]]
PLACE = {
    "cidr": "10.60.0.0/20",
    "zone_id": "usw2-az2",
    "control_zone_ids": ["usw2-az1", "usw2-az2"],
    "internet": "nat",
    "gpu_addresses_needed": 100,
}


def _build(stack: Any, **changes: Any) -> None:
    from bedplate.constructs.cluster_network import ClusterNetwork

    ClusterNetwork(stack, "Network", **{**PLACE, **changes})


def _subnets(template: dict[str, Any]) -> dict[str, str]:
    """Name of each subnet → its zone."""
    return {
        key.removeprefix("Network")[:-8]: each["Properties"]["AvailabilityZoneId"]
        for key, each in template["Resources"].items()
        if each["Type"] == "AWS::EC2::Subnet"
    }


@pytest.mark.parametrize(
    ("zone", "control", "nat"),
    [
        ("usw2-az2", ["usw2-az1", "usw2-az2"], "usw2-az2"),
        ("usw2-az4", ["usw2-az1", "usw2-az2"], "usw2-az1"),
        ("use1-dfw2-az1", ["use1-az4", "use1-az6"], "use1-az4"),
    ],
)
def test_the_nat_gateway_stands_in_a_control_zone(
    synthesise: Synthesise, zone: str, control: list[str], nat: str
) -> None:
    """In the zone of the capacity where that is one of them; never in a Local Zone."""
    template = synthesise(lambda stack: _build(stack, zone_id=zone, control_zone_ids=control))
    zones = _subnets(template)
    assert zones["GpuSubnet"] == zone
    assert [zones["ControlSubnetA"], zones["ControlSubnetB"]] == control
    (gateway,) = [each for each in template["Resources"].values() if each["Type"] == "AWS::EC2::NatGateway"]
    assert "PublicSubnet" in gateway["Properties"]["SubnetId"]["Fn::GetAtt"][0]
    assert zones["PublicSubnet"] == nat


def test_every_private_subnet_shares_the_way_out(synthesise: Synthesise) -> None:
    """GPU and control subnets, a Local Zone's included, use one route table, whose default is the NAT."""
    template = synthesise(
        lambda stack: _build(stack, zone_id="use1-dfw2-az1", control_zone_ids=["use1-az4", "use1-az6"])
    )
    tables: dict[str, list[str]] = {}
    for each in template["Resources"].values():
        if each["Type"] == "AWS::EC2::SubnetRouteTableAssociation":
            properties = each["Properties"]
            table = properties["RouteTableId"]["Fn::GetAtt"][0]
            tables.setdefault(table, []).append(properties["SubnetId"]["Fn::GetAtt"][0])
    assert sorted(len(subnets) for subnets in tables.values()) == [1, 3]
    private = next(table for table, subnets in tables.items() if len(subnets) == 3)
    routes = [
        each["Properties"] for each in template["Resources"].values() if each["Type"] == "AWS::EC2::Route"
    ]
    (out,) = [each for each in routes if each["RouteTableId"]["Fn::GetAtt"][0] == private]
    assert out["DestinationCidrBlock"] == "0.0.0.0/0"
    assert "NatGatewayId" in out


def test_no_subnet_gives_public_addresses(synthesise: Synthesise) -> None:
    """Not even the public one, in which nothing but the NAT gateway stands."""
    found = synthesise(_build)["Resources"].values()
    subnets = [each["Properties"] for each in found if each["Type"] == "AWS::EC2::Subnet"]
    assert len(subnets) == 4
    assert not any(each["MapPublicIpOnLaunch"] for each in subnets)


def test_a_closed_network_has_no_way_out(synthesise: Synthesise) -> None:
    """No gateway of any kind, no address, no route, no public subnet."""
    template = synthesise(lambda stack: _build(stack, internet="none"))
    assert set(_subnets(template)) == {"GpuSubnet", "ControlSubnetA", "ControlSubnetB"}
    types = {each["Type"] for each in template["Resources"].values()}
    assert types == {
        "AWS::EC2::VPC",
        "AWS::EC2::Subnet",
        "AWS::EC2::RouteTable",
        "AWS::EC2::SubnetRouteTableAssociation",
    }


@pytest.mark.parametrize(
    ("control", "words"),
    [
        (["usw2-az1"], "two different zones"),
        (["usw2-az1", "usw2-az1"], "two different zones"),
        (["use1-dfw2-az1", "use1-az4"], "use1-dfw2-az1 is a Local Zone"),
    ],
)
def test_control_zones_that_do_not_do_are_refused(
    synthesise: Synthesise, control: list[str], words: str
) -> None:
    """One zone, the same twice, or a Local Zone: the message names it."""
    with pytest.raises(ValueError, match=words):
        synthesise(lambda stack: _build(stack, control_zone_ids=control))


def test_a_range_that_is_too_small_is_refused(synthesise: Synthesise) -> None:
    """The number of addresses that are missing is told by the plan's own error."""
    from bedplate.constructs.address_plan import AddressesDoNotFitError

    with pytest.raises(AddressesDoNotFitError, match="2044"):
        synthesise(lambda stack: _build(stack, gpu_addresses_needed=2044))
    assert synthesise(lambda stack: _build(stack, gpu_addresses_needed=2043))["Resources"]
