"""The group under which EFA works."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Synthesise = Callable[[Any], dict[str, Any]]


def _build(stack: Any, *, egress: Any = "web") -> None:
    from aws_cdk import CfnResource

    from bedplate.constructs.fabric_security_group import FabricSecurityGroup

    group = FabricSecurityGroup(stack, "Fabric", vpc_id="vpc-1", egress=egress)
    group.protect(CfnResource(stack, "Interface", type="AWS::EC2::NetworkInterface"))


def test_the_group_admits_itself_by_id_both_ways(synthesise: Synthesise) -> None:
    """One ingress and one egress rule, resources of their own, name the group on both ends."""
    found = synthesise(_build)["Resources"]
    (group,) = [key for key, each in found.items() if each["Type"] == "AWS::EC2::SecurityGroup"]
    itself = {"Fn::GetAtt": [group, "GroupId"]}
    (ingress,) = [each for each in found.values() if each["Type"] == "AWS::EC2::SecurityGroupIngress"]
    (egress,) = [each for each in found.values() if each["Type"] == "AWS::EC2::SecurityGroupEgress"]
    assert ingress["Properties"]["GroupId"] == ingress["Properties"]["SourceSecurityGroupId"] == itself
    assert egress["Properties"]["GroupId"] == egress["Properties"]["DestinationSecurityGroupId"] == itself
    assert ingress["Properties"]["IpProtocol"] == egress["Properties"]["IpProtocol"] == "-1"


def test_what_has_an_interface_waits_for_both_rules(synthesise: Synthesise) -> None:
    """``protect`` makes a resource depend on both rules."""
    found = synthesise(_build)["Resources"]
    rules = {
        key
        for key, each in found.items()
        if (each["Type"].startswith("AWS::EC2::SecurityGroup") and "FromItself" in key) or "ToItself" in key
    }
    assert len(rules) == 2
    assert set(found["Interface"]["DependsOn"]) == rules


@pytest.mark.parametrize(("egress", "ports"), [("web", {80, 443}), ("https", {443})])
def test_only_web_ports_go_out(synthesise: Synthesise, egress: str, ports: set[int]) -> None:
    """Outbound rules of the group are stated, so that AWS adds none that allows everything."""
    found = synthesise(lambda stack: _build(stack, egress=egress))["Resources"]
    (group,) = [each for each in found.values() if each["Type"] == "AWS::EC2::SecurityGroup"]
    assert {each["FromPort"] for each in group["Properties"]["SecurityGroupEgress"]} == ports
    assert "SecurityGroupIngress" not in group["Properties"]
