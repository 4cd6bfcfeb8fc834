"""PRE-011: the existing subnets lie in the right zones and have addresses left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.spec.endpoints import interface_services
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
    "are held against the first control subnet. With `endpoints: create` and `internet: none` each control "
    "subnet needs an address for every interface endpoint too.",
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
    held, needs = _held(preflight), _needs(preflight.environment)
    rooms = {each: told.get(each, {}).get("AvailableIpAddressCount", 0) + held[each] for each in needs}
    problems += [
        f"{subnet} has {rooms[subnet]} addresses for it, {needed} are needed"
        for subnet, needed in needs.items()
        if rooms[subnet] < needed
    ]
    free, needed = rooms[network.vpc.gpu_subnet], needs[network.vpc.gpu_subnet]
    if problems:
        return [
            writer.failed(
                "; ".join(problems), measured=free, expected=needed, unit="addresses", remedy=ROW.fix
            )
        ]
    summary = ", ".join(
        f"{rooms[subnet]} addresses for it in {subnet}, {needed} are needed"
        for subnet, needed in needs.items()
    )
    return [writer.passed(summary, measured=free, expected=needed, unit="addresses")]


def _needs(environment: Environment) -> Counter[str]:
    """Subnet → addresses that the environment takes of it; a subnet may serve as both kinds."""
    from bedplate.spec.addresses import beside_addresses_needed, gpu_addresses_needed

    vpc = environment.network.vpc
    assert vpc is not None
    needs = Counter({vpc.gpu_subnet: gpu_addresses_needed(environment)})
    needs[vpc.control_subnets[0]] += beside_addresses_needed(environment)
    for subnet in vpc.control_subnets:
        needs[subnet] += _endpoints_made(environment)
    return +needs


def _endpoints_made(environment: Environment) -> int:
    """Interface endpoints that are made, each with an address in every control subnet."""
    network = environment.network
    made = network.internet == "none" and network.vpc is not None and network.vpc.endpoints == "create"
    return len(interface_services(environment)) if made else 0


def _held(preflight: Preflight) -> Counter[str]:
    """Subnet → addresses that the environment's own nodes, file systems and endpoints take of it already."""
    from bedplate.validation.aws import aws_errors
    from bedplate.validation.preflight.usage import ENVIRONMENT_TAG, own_instances

    held = Counter[str]()
    for instance in own_instances(preflight):
        for interface in instance.get("NetworkInterfaces", []):
            held[interface.get("SubnetId", "")] += len(interface.get("PrivateIpAddresses", []))
    mine = {"Key": ENVIRONMENT_TAG, "Value": preflight.environment.name}
    with aws_errors("asking for the file systems that are there"):
        for page in preflight.clients.fsx.get_paginator("describe_file_systems").paginate():
            for row in page["FileSystems"]:
                if mine in row.get("Tags", []):
                    # One subnet: no kind that is made stands in several.
                    held[row.get("SubnetIds", [""])[0]] += len(row.get("NetworkInterfaceIds", []))
    if _endpoints_made(preflight.environment):
        held.update(_endpoint_subnets(preflight))
    return held


def _endpoint_subnets(preflight: Preflight) -> Iterator[str]:
    """The subnet of each address of the environment's own endpoints."""
    from bedplate.validation.aws import aws_errors
    from bedplate.validation.preflight.usage import ENVIRONMENT_TAG

    filters = [{"Name": f"tag:{ENVIRONMENT_TAG}", "Values": [preflight.environment.name]}]
    with aws_errors("asking for the endpoints that are there"):
        pages = preflight.clients.ec2.get_paginator("describe_vpc_endpoints")
        for page in pages.paginate(Filters=filters):  # type: ignore[arg-type]
            for row in page["VpcEndpoints"]:
                yield from row.get("SubnetIds", [])


def _problems(row: SubnetTypeDef | None, subnet: str, zone: str) -> list[str]:
    if row is None:
        return [f"there is no subnet {subnet}"]
    if row.get("AvailabilityZoneId") != zone:
        return [f"{subnet} is in {row.get('AvailabilityZoneId')}, not in {zone}"]
    return []
