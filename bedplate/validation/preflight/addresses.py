"""PRE-011: the existing subnets lie in the right zones and have addresses left."""

from __future__ import annotations

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
    what="For an existing VPC: each subnet's VPC and zone id, and the GPU subnet's free addresses against "
    "one for each "
    "node (EFA-only interfaces take none) and those that the file system takes.",
    why="A subnet that runs out of addresses stops a launch half-way; one in another zone cannot hold the "
    "nodes.",
    fix="Name subnets in the right zones, with room, or add a larger range to the VPC.",
    by_hand="`aws ec2 describe-subnets --subnet-ids SUBNET`",
)
_FILE_SYSTEM_PER_2400_GIB = 1
"""Lustre takes an address for each of its servers: at most one for each 2,400 GiB (a cautious reading)."""
_FILE_SYSTEM_OTHERS = 4


def applies(environment: Environment) -> bool:
    """Where the VPC is there already; for a new one `bedplate check` does the sums."""
    return environment.network.vpc is not None


def addresses_needed(environment: Environment) -> int:
    """Addresses in the GPU subnet: nodes, and the file system's servers."""
    needed = sum(pool.max_nodes for pool in environment.pools)
    lustre = environment.storage.lustre
    if lustre is not None:
        needed += _FILE_SYSTEM_OTHERS + -(-lustre.capacity_gib // 2400) * _FILE_SYSTEM_PER_2400_GIB
    return needed


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
    free = told.get(network.vpc.gpu_subnet, {}).get("AvailableIpAddressCount", 0)
    needed = addresses_needed(preflight.environment)
    if free < needed:
        problems.append(f"{network.vpc.gpu_subnet} has {free} free addresses, {needed} are needed")
    if problems:
        return [
            writer.failed(
                "; ".join(problems), measured=free, expected=needed, unit="addresses", remedy=ROW.fix
            )
        ]
    summary = f"{free} free addresses in {network.vpc.gpu_subnet}, {needed} are needed"
    return [writer.passed(summary, measured=free, expected=needed, unit="addresses")]


def _problems(row: SubnetTypeDef | None, subnet: str, zone: str) -> list[str]:
    if row is None:
        return [f"there is no subnet {subnet}"]
    if row.get("AvailabilityZoneId") != zone:
        return [f"{subnet} is in {row.get('AvailabilityZoneId')}, not in {zone}"]
    return []
