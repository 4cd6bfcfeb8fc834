"""PRE-017: the existing VPC has the endpoints that a closed cluster needs, or none in the way of new ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.spec.endpoints import S3, interface_services
from bedplate.validation.preflight import group_rules
from bedplate.validation.preflight.context import Preflight, Writer
from bedplate.validation.preflight.route_tables import tables_by_subnet
from bedplate.validation.preflight.routes import node_subnets
from bedplate.validation.preflight.usage import ENVIRONMENT_TAG

if TYPE_CHECKING:
    from types_boto3_ec2.type_defs import SecurityGroupTypeDef, VpcEndpointTypeDef

    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment
    from bedplate.spec.network import ExistingVpc

ROW = CheckRow(
    id="PRE-017",
    title="the existing VPC has the endpoints that a closed cluster needs",
    what="With `internet: none` and `endpoints: existing`: an available interface endpoint with private DNS "
    "for each service that the cluster calls, whose security groups admit the nodes on port 443, and a "
    "gateway endpoint for S3 in the route tables of the nodes' subnets. With `endpoints: create`: no "
    "endpoint of the same service is there already, and `route_tables` names those of the nodes' subnets.",
    why="Under `slurm-pcs` a node that does not reach PCS never registers; one that does not reach S3 "
    "has no node program, and one that does not reach Systems Manager cannot be asked anything. AWS refuses "
    "a second endpoint with private DNS for one service in a VPC.",
    fix="Make the missing endpoints with private DNS, or set `endpoints: create`; where they lie in another "
    "VPC and are shared by DNS, waive this check.",
    by_hand="`aws ec2 describe-vpc-endpoints --filters Name=vpc-id,Values=vpc-…`",
)


def applies(environment: Environment) -> bool:
    """Where an existing VPC needs endpoints, or gets them."""
    network = environment.network
    return network.vpc is not None and (network.internet == "none" or network.vpc.endpoints == "create")


def check(preflight: Preflight) -> list[Verdict]:
    """Ask for all endpoints of the VPC."""
    from bedplate.validation.aws import aws_errors

    environment, writer = preflight.environment, Writer(ROW.id)
    vpc = environment.network.vpc
    assert vpc is not None
    rows: list[VpcEndpointTypeDef] = []
    with aws_errors(f"asking for the endpoints of {vpc.id}"):
        pages = preflight.clients.ec2.get_paginator("describe_vpc_endpoints").paginate(
            Filters=[{"Name": "vpc-id", "Values": [vpc.id]}]
        )
        for page in pages:
            rows += page["VpcEndpoints"]
    services = interface_services(environment) if environment.network.internet == "none" else ()
    if vpc.endpoints == "create":
        problems = _in_the_way(environment, rows, services) + _unserved(preflight, set(vpc.route_tables))
        well = "no endpoint is in the way of those that are made"
    else:
        problems = _missing(preflight, vpc, rows, services)
        well = f"S3 and {', '.join(services)} are reached by endpoints of {vpc.id}"
    if problems:
        return [writer.failed("; ".join(problems), remedy=ROW.fix)]
    return [writer.passed(well, measured=len(services) + 1, unit="services")]


def _in_the_way(
    environment: Environment, rows: list[VpcEndpointTypeDef], services: tuple[str, ...]
) -> list[str]:
    mine = {"Key": ENVIRONMENT_TAG, "Value": environment.name}
    others = [row for row in rows if mine not in row.get("Tags", [])]
    problems = [
        f"{row.get('VpcEndpointId')} serves {service} already"
        for service in services
        for row in _of_service(others, environment.region, service)
        if row.get("PrivateDnsEnabled")
    ]
    tables = set(environment.network.vpc.route_tables) if environment.network.vpc else set()
    problems += [
        f"{row.get('VpcEndpointId')} is a gateway to S3 in {', '.join(sorted(shared))} already"
        for row in _of_service(others, environment.region, S3.name)
        if (shared := tables & set(row.get("RouteTableIds", [])))
    ]
    return problems


def _missing(
    preflight: Preflight, vpc: ExistingVpc, rows: list[VpcEndpointTypeDef], services: tuple[str, ...]
) -> list[str]:
    region = preflight.environment.region
    problems = _gateway_problems(preflight, _of_service(rows, region, S3.name))
    groups = _groups(preflight, rows)
    ranges = _node_ranges(preflight)
    for service in services:
        found = [
            row for row in _of_service(rows, region, service) if row.get("VpcEndpointType") == "Interface"
        ]
        faults = [_fault(row, groups=groups, client_group=vpc.fabric_group, ranges=ranges) for row in found]
        if not found:
            problems.append(f"there is no endpoint for {service}")
        elif all(faults):
            problems.append(f"{service}: {'; '.join(filter(None, faults))}")
    return problems


def _fault(
    row: VpcEndpointTypeDef,
    *,
    groups: dict[str, SecurityGroupTypeDef],
    client_group: str | None,
    ranges: list[str],
) -> str | None:
    name = row.get("VpcEndpointId")
    if str(row.get("State")).lower() != "available":
        return f"{name} is {row.get('State')}"
    if not row.get("PrivateDnsEnabled"):
        return f"{name} has no private DNS"
    own = [groups[each["GroupId"]] for each in row.get("Groups", []) if each.get("GroupId") in groups]
    if any(group_rules.admits_https_from(each, client_group=client_group, ranges=ranges) for each in own):
        return None
    who = client_group or f"{', '.join(ranges)} (the nodes' own group is not made yet)"
    return f"the security groups of {name} do not admit {who} on port 443"


def _gateway_problems(preflight: Preflight, rows: list[VpcEndpointTypeDef]) -> list[str]:
    gateways = [row for row in rows if row.get("VpcEndpointType") == "Gateway"]
    return _unserved(preflight, {table for row in gateways for table in row.get("RouteTableIds", [])})


def _unserved(preflight: Preflight, served: set[str]) -> list[str]:
    """Subnets of nodes from whose route table no gateway leads to S3."""
    tables = tables_by_subnet(preflight, node_subnets(preflight.environment))
    return [
        f"no gateway endpoint for S3 is in {table.get('RouteTableId')}, the route table of {subnet}"
        for subnet, table in tables.items()
        if table.get("RouteTableId") not in served
    ]


def _of_service(rows: list[VpcEndpointTypeDef], region: str, service: str) -> list[VpcEndpointTypeDef]:
    return [row for row in rows if row.get("ServiceName") == f"com.amazonaws.{region}.{service}"]


def _groups(preflight: Preflight, rows: list[VpcEndpointTypeDef]) -> dict[str, SecurityGroupTypeDef]:
    from bedplate.validation.aws import aws_errors

    wanted = sorted({each.get("GroupId", "") for row in rows for each in row.get("Groups", [])} - {""})
    if not wanted:
        return {}
    with aws_errors("asking for the endpoints' security groups"):
        found = preflight.clients.ec2.describe_security_groups(GroupIds=wanted)["SecurityGroups"]
    return {group.get("GroupId", ""): group for group in found}


def _node_ranges(preflight: Preflight) -> list[str]:
    from bedplate.validation.aws import aws_errors

    subnets = list(node_subnets(preflight.environment))
    with aws_errors(f"asking for the subnets {', '.join(subnets)}"):
        rows = preflight.clients.ec2.describe_subnets(SubnetIds=subnets)["Subnets"]
    return [row["CidrBlock"] for row in rows if "CidrBlock" in row]
