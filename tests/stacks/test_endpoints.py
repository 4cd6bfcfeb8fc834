"""In a closed network every service that a machine may call has an endpoint, and there is no way out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bedplate.spec import load_environment
from bedplate.spec.endpoints import ENDPOINT_SERVICES
from tests.stacks.templates import actions_of, machine_roles

EXAMPLES = sorted((Path(__file__).parents[2] / "environments").glob("*.yaml"))
CASES = sorted((Path(__file__).parent / "environments").glob("*.yaml"))
ENDPOINT_OF = {each.iam_prefix: each.name for each in ENDPOINT_SERVICES}


def _closed() -> list[Path]:
    return [file for file in (*EXAMPLES, *CASES) if load_environment(file).network.internet == "none"]


@pytest.fixture(params=_closed(), ids=lambda path: path.stem)
def closed(request: pytest.FixtureRequest, assembly_of: Any) -> Any:
    """Every closed environment in turn."""
    return assembly_of(request.param)


def _endpoints(assembly: Any) -> dict[str, dict[str, Any]]:
    found = [each["Properties"] for each in assembly.resources("network", "AWS::EC2::VPCEndpoint").values()]
    region = load_environment(assembly.file).region
    return {each["ServiceName"].removeprefix(f"com.amazonaws.{region}."): each for each in found}


def test_there_are_closed_examples() -> None:
    """One with a VPC of its own and one in an existing VPC, or the tests below would hold nothing."""
    assert {"dev", "closed-vpc"} <= {file.stem for file in _closed()}


def test_what_machines_may_call_is_what_has_an_endpoint(closed: Any) -> None:
    """The actions that policies allow the nodes' roles need these endpoints, and no other is made but those
    that the file asks for.
    """
    roles = machine_roles(closed.templates)
    prefixes = {action.split(":")[0] for action in actions_of(closed.templates, roles)}
    assert roles
    assert prefixes <= set(ENDPOINT_OF), "a machine may call what bedplate.spec.endpoints has no row for"
    asked = set(load_environment(closed.file).network.endpoint_services)
    assert {ENDPOINT_OF[prefix] for prefix in prefixes} == set(_endpoints(closed)) - asked
    assert asked <= set(_endpoints(closed))


def test_there_is_no_way_out(closed: Any) -> None:
    """No internet gateway, NAT gateway, Elastic IP, route or public subnet; HTTPS alone leaves the fabric."""
    types = ("InternetGateway", "NatGateway", "EIP", "Route", "VPCGatewayAttachment")
    assert [each for type_ in types for each in closed.resources("network", f"AWS::EC2::{type_}")] == []
    assert not [key for key in closed.resources("network", "AWS::EC2::Subnet") if "Public" in key]
    groups = closed.resources("network", "AWS::EC2::SecurityGroup")
    for key, group in groups.items():
        if key.startswith("Fabric"):
            out = group["Properties"]["SecurityGroupEgress"]
            assert [(rule["FromPort"], rule["ToPort"]) for rule in out] == [(443, 443)]


def test_endpoints_answer_the_cluster_in_both_control_zones(closed: Any) -> None:
    """Interface endpoints have private DNS and stand in two subnets; the gateway is in every route table."""
    endpoints = _endpoints(closed)
    gateway = endpoints.pop("s3")
    assert gateway["VpcEndpointType"] == "Gateway"
    vpc = load_environment(closed.file).network.vpc
    assert len(gateway["RouteTableIds"]) == (len(vpc.route_tables) if vpc else 1)
    for endpoint in endpoints.values():
        assert endpoint["VpcEndpointType"] == "Interface"
        assert endpoint["PrivateDnsEnabled"] is True
        assert len(endpoint["SubnetIds"]) == 2
        assert len(endpoint["SecurityGroupIds"]) == 1


def test_an_open_network_has_the_gateway_alone(demo: Any) -> None:
    """Beside a NAT gateway, traffic to S3 stays off it, and no endpoint is paid for."""
    assert set(_endpoints(demo)) == {"s3"}
