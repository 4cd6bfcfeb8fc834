"""PRE-019: the endpoints that are made are offered in both control zones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.spec.endpoints import interface_services
from bedplate.validation.preflight.context import Preflight, Writer

if TYPE_CHECKING:
    from types_boto3_ec2.type_defs import ServiceDetailTypeDef

    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment

ROW = CheckRow(
    id="PRE-019",
    title="the endpoints that are made are offered in both control zones",
    what="With `internet: none`, where Bedplate makes the endpoints: EC2 DescribeVpcEndpointServices lists "
    "each service, in each of `network.control_zones`.",
    why="AWS offers not every service by an endpoint in every Region and zone; the deploy fails half-way at "
    "the first that is not.",
    fix="Name two control zones that offer all of them; leave a service that the Region lacks out of "
    "`endpoint_services`.",
    by_hand="`aws ec2 describe-vpc-endpoint-services --service-names com.amazonaws.REGION.SERVICE --query "
    "'ServiceDetails[].AvailabilityZones'`",
)


def applies(environment: Environment) -> bool:
    """Where Bedplate makes interface endpoints."""
    network = environment.network
    return network.internet == "none" and (network.vpc is None or network.vpc.endpoints == "create")


def check(preflight: Preflight) -> list[Verdict]:
    """Ask for the services, and for the zones' names where only those are told."""
    from bedplate.validation.aws import aws_errors

    environment, writer = preflight.environment, Writer(ROW.id)
    services = interface_services(environment)
    names = {f"com.amazonaws.{environment.region}.{service}": service for service in services}
    details: list[ServiceDetailTypeDef] = []
    with aws_errors("asking which endpoints are offered"):
        pages = preflight.clients.ec2.get_paginator("describe_vpc_endpoint_services").paginate(
            Filters=[{"Name": "service-name", "Values": sorted(names)}]
        )
        for page in pages:
            details += page["ServiceDetails"]
    ids = _zone_ids(preflight)
    offered = {
        names[detail["ServiceName"]]: _zones(detail, ids)
        for detail in details
        if detail.get("ServiceName") in names
        and any(kind.get("ServiceType") == "Interface" for kind in detail.get("ServiceType", []))
    }
    problems = [f"{service} is offered by no endpoint" for service in services if service not in offered]
    problems += [
        f"{service} is not offered in {zone}"
        for service, zones in offered.items()
        for zone in environment.network.control_zones
        if zone not in zones
    ]
    if problems:
        return [writer.failed("; ".join(problems), remedy=ROW.fix)]
    where = " and ".join(environment.network.control_zones)
    return [
        writer.passed(
            f"{', '.join(services)} are offered in {where}", measured=len(services), unit="services"
        )
    ]


def _zones(detail: ServiceDetailTypeDef, ids: dict[str, str]) -> set[str]:
    told = set(detail.get("AvailabilityZoneIds", []))
    return told or {ids[name] for name in detail.get("AvailabilityZones", []) if name in ids}


def _zone_ids(preflight: Preflight) -> dict[str, str]:
    from bedplate.validation.aws import aws_errors

    with aws_errors("asking for the zones"):
        rows = preflight.clients.ec2.describe_availability_zones(AllAvailabilityZones=True)[
            "AvailabilityZones"
        ]
    return {row.get("ZoneName", ""): row.get("ZoneId", "") for row in rows}
