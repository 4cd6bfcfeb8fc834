"""PRE-006: the zone offers the instance types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.validation.preflight.context import Preflight, of_pool

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment

ROW = CheckRow(
    id="PRE-006",
    title="the zone offers the pool's instance type",
    what="EC2 DescribeInstanceTypeOfferings by zone id, for each pool.",
    why="GPU types are in a few zones of a Region only, and zone names differ from account to account.",
    fix="Choose one of the zones that offer the type; for a reservation, the zone that it is in.",
    by_hand="`aws ec2 describe-instance-type-offerings --location-type availability-zone-id "
    "--filters Name=instance-type,Values=TYPE`",
)


def applies(environment: Environment) -> bool:  # noqa: ARG001 - one signature for all checks
    """Always."""
    return True


def check(preflight: Preflight) -> list[Verdict]:
    """One verdict a pool."""
    from bedplate.validation.aws import aws_errors

    zone, verdicts = preflight.environment.network.zone, []
    for pool in preflight.environment.pools:
        writer, zones = of_pool(ROW.id, pool), set()
        with aws_errors(f"asking where {pool.instance_type} is offered"):
            pages = preflight.clients.ec2.get_paginator("describe_instance_type_offerings").paginate(
                LocationType="availability-zone-id",
                Filters=[{"Name": "instance-type", "Values": [pool.instance_type]}],
            )
            for page in pages:
                zones |= {
                    row["Location"]
                    for row in page["InstanceTypeOfferings"]
                    if row.get("InstanceType") == pool.instance_type
                }
        if zone in zones:
            verdicts.append(
                writer.passed(f"{zone} offers {pool.instance_type}", measured=zone, expected=zone)
            )
            continue
        offered = ", ".join(sorted(zones)) or "none in this Region"
        verdicts.append(
            writer.failed(
                f"{zone} does not offer {pool.instance_type}; zones that do: {offered}",
                measured=offered,
                expected=zone,
                remedy=f"Set `network.zone` to one of: {offered}."
                if zones
                else "Choose a Region that offers the type.",
            )
        )
    return verdicts
