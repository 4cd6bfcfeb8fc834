"""Who can reach whom, and what waits for what."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Case = Callable[[str], Any]


def _ingress(template: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::EC2::SecurityGroup":
            yield from resource["Properties"].get("SecurityGroupIngress", [])
        if resource["Type"] == "AWS::EC2::SecurityGroupIngress":
            yield resource["Properties"]


def test_no_address_range_comes_in(assembly: Any) -> None:
    """Every ingress rule of every stack names a security group; none names a range, least of all everyone."""
    rules = [rule for template in assembly.templates.values() for rule in _ingress(template)]
    assert rules
    for rule in rules:
        assert not {"CidrIp", "CidrIpv6", "SourcePrefixListId"} & set(rule)
        assert rule["SourceSecurityGroupId"]


def test_the_fabric_admits_itself_both_ways(assembly: Any) -> None:
    """Each environment has one self-reference in and one out, by group id, for all protocols."""
    groups = assembly.resources("network", "AWS::EC2::SecurityGroup")
    (fabric,) = [key for key in groups if key.startswith("Fabric")]
    itself = {"Fn::GetAtt": [fabric, "GroupId"]}
    for kind, end in (("Ingress", "SourceSecurityGroupId"), ("Egress", "DestinationSecurityGroupId")):
        (rule,) = assembly.resources("network", f"AWS::EC2::SecurityGroup{kind}").values()
        assert rule["Properties"]["GroupId"] == rule["Properties"][end] == itself
        assert rule["Properties"]["IpProtocol"] == "-1"


def test_what_has_interfaces_is_deployed_after_the_rules(assembly: Any) -> None:
    """Stacks with interfaces depend on the network stack, and in it the endpoints wait for both rules."""
    manifest = json.loads((assembly.folder / "manifest.json").read_text())["artifacts"]
    prefix = next(name for name in manifest if name.endswith("-network")).removesuffix("network")
    for role in ("storage", "orchestration"):
        assert f"{prefix}network" in manifest[prefix + role]["dependencies"]
    rules = {
        *assembly.resources("network", "AWS::EC2::SecurityGroupIngress"),
        *assembly.resources("network", "AWS::EC2::SecurityGroupEgress"),
    }
    for endpoint in assembly.resources("network", "AWS::EC2::VPCEndpoint").values():
        assert rules <= set(endpoint["DependsOn"])


def test_zones_are_given_by_id(demo: Any) -> None:
    """Subnets name AZ ids, which mean the same place in every account, and no zone by its letter."""
    subnets = [each["Properties"] for each in demo.resources("network", "AWS::EC2::Subnet").values()]
    assert {each["AvailabilityZoneId"] for each in subnets} == {"usw2-az1", "usw2-az2"}
    assert not any("AvailabilityZone" in each for each in subnets)


def test_a_closed_network_has_no_way_out(assembly_of: Any) -> None:
    """``internet: none`` makes no gateway and no default route, but an endpoint for each service."""
    dev = assembly_of(Path(__file__).parents[2] / "environments" / "dev.yaml")
    for type_ in ("AWS::EC2::InternetGateway", "AWS::EC2::NatGateway", "AWS::EC2::Route"):
        assert not dev.resources("network", type_)
    endpoints = [each["Properties"] for each in dev.resources("network", "AWS::EC2::VPCEndpoint").values()]
    names = {each["ServiceName"].rsplit(".", 1)[1] for each in endpoints}
    assert {"s3", "pcs", "ssm", "ssmmessages", "ec2messages"} <= names


def test_an_existing_vpc_is_left_alone(case: Case) -> None:
    """With a VPC of one's own, Bedplate makes its security group and nothing else of a network."""
    found = case("existing-vpc").templates["network"]["Resources"]
    assert {each["Type"] for each in found.values()} == {
        "AWS::EC2::SecurityGroup",
        "AWS::EC2::SecurityGroupIngress",
        "AWS::EC2::SecurityGroupEgress",
    }
    (group,) = case("existing-vpc").resources("orchestration", "AWS::PCS::Cluster").values()
    assert group["Properties"]["Networking"]["SubnetIds"] == ["subnet-0123456789abcdef2"]
