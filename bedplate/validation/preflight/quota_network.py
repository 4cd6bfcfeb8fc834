"""PRE-012: the network quotas leave room for what is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.validation.preflight.context import Preflight, Writer

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment

INTERFACES = "L-DF5E4CA3"
VPCS = "L-F678F1CE"
ADDRESSES = "L-0263D0A3"
ROW = CheckRow(
    id="PRE-012",
    title="the network quotas leave room",
    what=f"Network interfaces of the Region (vpc/{INTERFACES}) against those of all nodes at their greatest "
    "number; for "
    f"a new VPC also VPCs (vpc/{VPCS}) and, with a NAT gateway, Elastic IPs (ec2/{ADDRESSES}).",
    why="A p5.48xlarge takes 33 interfaces: the default of 5,000 is used up by some 150 nodes.",
    fix="Ask for the sums that the report names, with the commands that it prints.",
    by_hand=f"`aws service-quotas get-service-quota --service-code vpc --quota-code {INTERFACES}`",
)


def applies(environment: Environment) -> bool:  # noqa: ARG001 - one signature for all checks
    """Always."""
    return True


def check(preflight: Preflight) -> list[Verdict]:
    """The first quota that does not fit decides; all sums are told."""
    from bedplate.diagnosis.verdict import Outcome

    verdicts = [_interfaces(preflight), *_new_vpc(preflight)]
    bad = [verdict for verdict in verdicts if verdict.outcome is not Outcome.PASS]
    if bad:
        return bad
    return [
        Writer(ROW.id).passed("; ".join(verdict.summary for verdict in verdicts), source=verdicts[0].source)
    ]


def _interfaces(preflight: Preflight) -> Verdict:
    from bedplate.spec.pool_hardware import pool_hardware
    from bedplate.validation.aws import aws_errors
    from bedplate.validation.preflight.quota import judge_quota, quota_by_code

    requested = sum(
        pool.max_nodes * len(pool_hardware(pool).interfaces) for pool in preflight.environment.pools
    )
    in_use = 0
    with aws_errors("counting network interfaces"):
        for page in preflight.clients.ec2.get_paginator("describe_network_interfaces").paginate():
            in_use += sum(not _is_own(row, preflight) for row in page["NetworkInterfaces"])
    quota = quota_by_code(preflight, service="vpc", code=INTERFACES)
    return judge_quota(Writer(ROW.id), quota=quota, in_use=in_use, requested=requested, unit="interfaces")


def _is_own(row: object, preflight: Preflight) -> bool:
    from bedplate.validation.preflight.usage import ENVIRONMENT_TAG

    tags = row.get("TagSet", []) if isinstance(row, dict) else []
    return any(
        tag.get("Key") == ENVIRONMENT_TAG and tag.get("Value") == preflight.environment.name for tag in tags
    )


def _new_vpc(preflight: Preflight) -> list[Verdict]:
    """VPCs and Elastic IPs, where Bedplate makes the VPC and has not made it yet."""
    from bedplate.validation.aws import aws_errors
    from bedplate.validation.preflight.quota import judge_quota, quota_by_code
    from bedplate.validation.preflight.usage import ENVIRONMENT_TAG

    network = preflight.environment.network
    if network.vpc is not None:
        return []
    with aws_errors("counting VPCs and Elastic IPs"):
        vpcs = preflight.clients.ec2.describe_vpcs()["Vpcs"]
        addresses = preflight.clients.ec2.describe_addresses()["Addresses"]
    mine = {"Key": ENVIRONMENT_TAG, "Value": preflight.environment.name}
    verdicts = [
        judge_quota(
            Writer(ROW.id),
            quota=quota_by_code(preflight, service="vpc", code=VPCS),
            in_use=sum(mine not in row.get("Tags", []) for row in vpcs),
            requested=1,
            unit="VPCs",
        )
    ]
    if network.internet == "nat":
        verdicts.append(
            judge_quota(
                Writer(ROW.id),
                quota=quota_by_code(preflight, service="ec2", code=ADDRESSES),
                in_use=sum(mine not in row.get("Tags", []) for row in addresses),
                requested=1,
                unit="addresses",
            )
        )
    return verdicts
