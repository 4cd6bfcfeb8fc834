"""The private ways from a VPC to AWS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Synthesise = Callable[[Any], dict[str, Any]]
Resources = Callable[[Any, str], dict[str, Any]]


def _build(stack: Any, *, services: tuple[str, ...] = ()) -> None:
    from bedplate.constructs.network_endpoints import NetworkEndpoints

    NetworkEndpoints(
        stack,
        "Endpoints",
        vpc_id="vpc-1",
        route_table_ids=["rtb-1", "rtb-2"],
        subnet_ids=["subnet-1", "subnet-2"],
        client_group_id="sg-1",
        services=services,
    )


def test_the_gateway_to_s3_is_always_made(resources: Resources) -> None:
    """It is in every route table, and without further services nothing else is made."""
    (gateway,) = resources(_build, "AWS::EC2::VPCEndpoint").values()
    assert gateway["Properties"] == {
        "VpcId": "vpc-1",
        "ServiceName": "com.amazonaws.us-west-2.s3",
        "VpcEndpointType": "Gateway",
        "RouteTableIds": ["rtb-1", "rtb-2"],
    }
    assert resources(_build, "AWS::EC2::SecurityGroup") == {}


def test_each_service_has_an_endpoint_with_private_dns(resources: Resources) -> None:
    """Names with a dot or a hyphen are two endpoints like any other."""
    services = ("pcs", "ecr.api", "ecr.dkr", "aps-workspaces")
    found = resources(lambda stack: _build(stack, services=services), "AWS::EC2::VPCEndpoint")
    interfaces = [
        each["Properties"] for each in found.values() if each["Properties"]["VpcEndpointType"] == "Interface"
    ]
    assert {each["ServiceName"] for each in interfaces} == {
        f"com.amazonaws.us-west-2.{name}" for name in services
    }
    for each in interfaces:
        assert each["PrivateDnsEnabled"] is True
        assert each["SubnetIds"] == ["subnet-1", "subnet-2"]


def test_names_that_are_nearly_the_same_are_endpoints_of_their_own(resources: Resources) -> None:
    """No service is taken for another, for the gateway, or for the endpoints' group."""
    services = ("ecr.api", "ecr-api", "group", "s3")
    found = resources(lambda stack: _build(stack, services=services), "AWS::EC2::VPCEndpoint")
    assert len(found) == len(services) + 1


def test_the_endpoints_admit_the_clients_on_https_alone(resources: Resources) -> None:
    """One rule in, from the group by id; nothing leaves."""
    (group,) = resources(lambda stack: _build(stack, services=("pcs",)), "AWS::EC2::SecurityGroup").values()
    (rule,) = group["Properties"]["SecurityGroupIngress"]
    assert (rule["IpProtocol"], rule["FromPort"], rule["ToPort"]) == ("tcp", 443, 443)
    assert rule["SourceSecurityGroupId"] == "sg-1"
    (out,) = group["Properties"]["SecurityGroupEgress"]
    assert out["CidrIp"] == "255.255.255.255/32"
