"""Which routes the subnets of an existing VPC have. Asked once a check; reading is pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from bedplate.validation.preflight.context import Preflight

if TYPE_CHECKING:
    from types_boto3_ec2.type_defs import RouteTableTypeDef, RouteTypeDef

EVERYWHERE = "0.0.0.0/0"
EVERYWHERE_V6 = "::/0"


def tables_by_subnet(preflight: Preflight, subnets: Iterable[str]) -> dict[str, RouteTableTypeDef]:
    """The route table of each subnet: its own, else the VPC's main one. A subnet without either is absent."""
    from bedplate.validation.aws import aws_errors

    vpc = preflight.environment.network.vpc
    assert vpc is not None
    tables: list[RouteTableTypeDef] = []
    with aws_errors(f"asking for the route tables of {vpc.id}"):
        pages = preflight.clients.ec2.get_paginator("describe_route_tables").paginate(
            Filters=[{"Name": "vpc-id", "Values": [vpc.id]}]
        )
        for page in pages:
            tables += page["RouteTables"]
    found = {subnet: _table_of(subnet, tables) for subnet in subnets}
    return {subnet: table for subnet, table in found.items() if table is not None}


def default_route(table: RouteTableTypeDef, destination: str = EVERYWHERE) -> RouteTypeDef | None:
    """The route to everywhere, if there is one."""
    for route in table.get("Routes", []):
        if destination in (route.get("DestinationCidrBlock"), route.get("DestinationIpv6CidrBlock")):
            return route
    return None


def target_of(route: RouteTypeDef) -> str:
    """What a route leads to: an id such as ``nat-…``, ``igw-…`` or ``tgw-…``."""
    return (
        route.get("NatGatewayId")
        or route.get("GatewayId")
        or route.get("TransitGatewayId")
        or route.get("NetworkInterfaceId")
        or route.get("VpcPeeringConnectionId")
        or route.get("CoreNetworkArn")
        or route.get("EgressOnlyInternetGatewayId")
        or "something that Bedplate does not know"
    )


def _table_of(subnet: str, tables: list[RouteTableTypeDef]) -> RouteTableTypeDef | None:
    main = None
    for table in tables:
        for association in table.get("Associations", []):
            if association.get("SubnetId") == subnet:
                return table
            if association.get("Main"):
                main = table
    return main
