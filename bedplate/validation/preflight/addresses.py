"""PRE-011: the existing subnets lie in the right zones and have addresses left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.validation.preflight.context import Preflight, Writer

if TYPE_CHECKING:
    from types_boto3_ec2.type_defs import SubnetTypeDef

    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment

ROW = CheckRow(
    id="PRE-011",
    title="the existing subnets are in the right zones and have addresses left",
    what="For an existing VPC: each subnet's VPC and zone id, and the GPU subnet's free addresses, with "
    "those that the environment's own nodes and file systems hold already, against those of all nodes and "
    "login nodes (EFA-only interfaces take none) and of the file systems. Beside a Local Zone the latter two "
    "are held against the first control subnet.",
    why="A subnet that runs out of addresses stops a launch half-way; one in another zone cannot hold the "
    "nodes.",
    fix="Name subnets in the right zones, with room, or add a larger range to the VPC.",
    by_hand="`aws ec2 describe-subnets --subnet-ids SUBNET`",
)


def applies(environment: Environment) -> bool:
    """Where the VPC is there already; for a new one `bedplate check` does the sums."""
    return environment.network.vpc is not None


def check(preflight: Preflight) -> list[Verdict]:
    """Ask for all subnets that the file names."""
    from bedplate.spec.addresses import beside_addresses_needed, gpu_addresses_needed
    from bedplate.validation.aws import aws_errors

    network, writer = preflight.environment.network, Writer(ROW.id)
    assert network.vpc is not None
    wanted = {network.vpc.gpu_subnet: network.zone}
    wanted |= dict(zip(network.vpc.control_subnets, network.control_zones, strict=False))
    with aws_errors(f"asking for the subnets {', '.join(wanted)}"):
        rows = preflight.clients.ec2.describe_subnets(SubnetIds=sorted(wanted))["Subnets"]
    told = {row.get("SubnetId", ""): row for row in rows}
    problems = [text for subnet, zone in wanted.items() for text in _problems(told.get(subnet), subnet, zone)]
    problems += [
        f"{subnet} is in {row.get('VpcId')}, not in {network.vpc.id}"
        for subnet, row in told.items()
        if row.get("VpcId") != network.vpc.id
    ]
    free = _room(preflight, told, network.vpc.gpu_subnet)
    needed = gpu_addresses_needed(preflight.environment)
    if free < needed:
        problems.append(f"{network.vpc.gpu_subnet} has {free} addresses for it, {needed} are needed")
    beside, first = beside_addresses_needed(preflight.environment), network.vpc.control_subnets[0]
    if beside and (room := _room(preflight, told, first)) < beside:
        problems.append(f"{first}, beside the Local Zone, has {room} addresses for it, {beside} are needed")
    if problems:
        return [
            writer.failed(
                "; ".join(problems), measured=free, expected=needed, unit="addresses", remedy=ROW.fix
            )
        ]
    summary = f"{free} addresses for it in {network.vpc.gpu_subnet}, {needed} are needed"
    return [writer.passed(summary, measured=free, expected=needed, unit="addresses")]


def _room(preflight: Preflight, told: Mapping[str, SubnetTypeDef], subnet: str) -> int:
    """Free addresses of a subnet, and those that the environment holds of it already."""
    left = told[subnet].get("AvailableIpAddressCount", 0) if subnet in told else 0
    return left + _held(preflight, subnet)


def _held(preflight: Preflight, subnet: str) -> int:
    """Addresses that the environment's own nodes and file systems take of a subnet already."""
    from bedplate.validation.aws import aws_errors
    from bedplate.validation.preflight.usage import ENVIRONMENT_TAG, own_instances

    nodes = sum(
        len(interface.get("PrivateIpAddresses", []))
        for instance in own_instances(preflight)
        for interface in instance.get("NetworkInterfaces", [])
        if interface.get("SubnetId") == subnet
    )
    mine = {"Key": ENVIRONMENT_TAG, "Value": preflight.environment.name}
    servers = 0
    with aws_errors("asking for the file systems that are there"):
        for page in preflight.clients.fsx.get_paginator("describe_file_systems").paginate():
            servers += sum(
                len(row.get("NetworkInterfaceIds", []))
                for row in page["FileSystems"]
                if mine in row.get("Tags", []) and subnet in row.get("SubnetIds", [])
            )
    return nodes + servers


def _problems(row: SubnetTypeDef | None, subnet: str, zone: str) -> list[str]:
    if row is None:
        return [f"there is no subnet {subnet}"]
    if row.get("AvailabilityZoneId") != zone:
        return [f"{subnet} is in {row.get('AvailabilityZoneId')}, not in {zone}"]
    return []
