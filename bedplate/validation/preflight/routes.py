"""PRE-016: the existing subnets have the way out that the file says, and no public addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.spec.regions import is_local_zone
from bedplate.validation.preflight.context import Preflight, Writer
from bedplate.validation.preflight.route_tables import (
    EVERYWHERE_V6,
    default_route,
    tables_by_subnet,
    target_of,
)

if TYPE_CHECKING:
    from types_boto3_ec2.type_defs import RouteTableTypeDef

    from bedplate.diagnosis.verdict import Finding, Verdict
    from bedplate.spec import Environment

ROW = CheckRow(
    id="PRE-016",
    title="the existing subnets have the way out that the file says",
    what="For an existing VPC, of the subnets that nodes live in: the default route leads to a NAT gateway "
    "that is available (`internet: nat`) or nowhere (`none`), never to an internet gateway, and instances "
    "get no public address by themselves.",
    why="An instance with several network interfaces gets no public address, so behind an internet gateway "
    "it has no way out at all; a login node, which has one interface, would be on the internet.",
    fix="Route 0.0.0.0/0 of the subnets to a NAT gateway, or set `internet: none` and remove the route; turn "
    "automatic public addresses off.",
    by_hand="`aws ec2 describe-route-tables --filters Name=association.subnet-id,Values=subnet-…` and "
    "`aws ec2 modify-subnet-attribute --subnet-id subnet-… --no-map-public-ip-on-launch`",
)


def applies(environment: Environment) -> bool:
    """Where the VPC is there already."""
    return environment.network.vpc is not None


def check(preflight: Preflight) -> list[Verdict]:
    """Ask for route tables, NAT gateways and the subnets' own setting."""
    writer, network = Writer(ROW.id), preflight.environment.network
    subnets = node_subnets(preflight.environment)
    tables = tables_by_subnet(preflight, subnets)
    problems = [f"{subnet} has no route table" for subnet in subnets if subnet not in tables]
    problems += _public(preflight, subnets)
    findings: list[Finding] = []
    for subnet, table in tables.items():
        if network.internet == "nat":
            more, notes = _way_out(preflight, subnet, table)
            findings += notes
        else:
            more, notes = _no_way_out(subnet, table)
            findings += notes
        problems += more
    if problems:
        return [writer.failed("; ".join(problems), remedy=ROW.fix)]
    summary = f"{', '.join(subnets)}: {'a NAT gateway' if network.internet == 'nat' else 'no way out'}"
    return [writer.passed(summary, findings=tuple(findings))]


def node_subnets(environment: Environment) -> tuple[str, ...]:
    """The existing subnets that nodes live in: in a Local Zone, login nodes stand in the parent Region."""
    vpc = environment.network.vpc
    assert vpc is not None
    if is_local_zone(environment.network.zone):
        return (vpc.gpu_subnet, *vpc.control_subnets[:1])
    return (vpc.gpu_subnet,)


def _public(preflight: Preflight, subnets: tuple[str, ...]) -> list[str]:
    from bedplate.validation.aws import aws_errors

    with aws_errors(f"asking for the subnets {', '.join(subnets)}"):
        rows = preflight.clients.ec2.describe_subnets(SubnetIds=list(subnets))["Subnets"]
    return [
        f"{row.get('SubnetId')} gives instances public addresses (MapPublicIpOnLaunch)"
        for row in rows
        if row.get("MapPublicIpOnLaunch")
    ]


def _way_out(preflight: Preflight, subnet: str, table: RouteTableTypeDef) -> tuple[list[str], list[Finding]]:
    from bedplate.diagnosis.verdict import Finding, Severity

    route = default_route(table)
    if route is None:
        return [f"{subnet} has no default route"], []
    target = target_of(route)
    if route.get("State") == "blackhole":
        return [f"the default route of {subnet} leads to {target}, which is gone"], []
    if target.startswith("igw-"):
        return [f"the default route of {subnet} leads to the internet gateway {target}"], []
    if target.startswith("nat-"):
        return _nat_problems(preflight, subnet, target), []
    text = (
        f"the default route of {subnet} leads to {target}; whether there is a way out behind it is not seen"
    )
    return [], [Finding(Severity.WARNING, text, "See that nodes reach AWS and package sources that way.")]


def _nat_problems(preflight: Preflight, subnet: str, nat: str) -> list[str]:
    from bedplate.validation.aws import aws_errors

    with aws_errors(f"asking for {nat}"):
        rows = preflight.clients.ec2.describe_nat_gateways(NatGatewayIds=[nat])["NatGateways"]
    row = next((each for each in rows if each.get("NatGatewayId") == nat), None)
    if row is None or row.get("State") != "available":
        return [f"{nat}, where the default route of {subnet} leads, is {row.get('State') if row else 'gone'}"]
    if row.get("ConnectivityType") == "private":
        return [f"{nat}, where the default route of {subnet} leads, is a private NAT gateway"]
    return []


def _no_way_out(subnet: str, table: RouteTableTypeDef) -> tuple[list[str], list[Finding]]:
    from bedplate.diagnosis.verdict import Finding, Severity

    problems: list[str] = []
    findings: list[Finding] = []
    for route in filter(None, (default_route(table), default_route(table, EVERYWHERE_V6))):
        target = target_of(route)
        if target.startswith(("igw-", "nat-", "eigw-")):
            problems.append(f"`internet` is `none`, and the default route of {subnet} leads to {target}")
        else:
            text = f"the default route of {subnet} leads to {target}; what is behind it is not seen"
            findings.append(Finding(Severity.WARNING, text, "See that it is no way to the internet."))
    return problems, findings
