"""PRE-003: the zones exist, are open to the account, and are well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.validation.preflight.context import Preflight, Writer

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment

ROW = CheckRow(
    id="PRE-003",
    title="the zones exist, are open to the account, and are well",
    what="Each zone id of the file in EC2 DescribeAvailabilityZones: its state, and whether it is opted in.",
    why="A Local Zone is off until it is opted in, and a zone id of another Region is none here.",
    fix="Opt in to the zone (`aws ec2 modify-availability-zone-group`), or correct the id.",
    by_hand="`aws ec2 describe-availability-zones --all-availability-zones --zone-ids ZONE`",
)


def applies(environment: Environment) -> bool:  # noqa: ARG001 - one signature for all checks
    """Always."""
    return True


def check(preflight: Preflight) -> list[Verdict]:
    """Every zone that the file names must be available."""
    from bedplate.validation.aws import aws_errors

    writer, network = Writer(ROW.id), preflight.environment.network
    wanted = sorted({network.zone, *network.control_zones})
    with aws_errors("asking for the zones"):
        rows = preflight.clients.ec2.describe_availability_zones(AllAvailabilityZones=True)[
            "AvailabilityZones"
        ]
    told = {row.get("ZoneId", ""): row for row in rows}
    problems = []
    for zone in wanted:
        row = told.get(zone)
        if row is None:
            problems.append(f"there is no zone {zone} in {preflight.environment.region}")
        elif row.get("State") != "available":
            problems.append(f"{zone} is {row.get('State')}")
        elif row.get("OptInStatus") == "not-opted-in":
            problems.append(f"{zone} is not opted in")
    if problems:
        return [writer.failed("; ".join(problems), remedy=ROW.fix, expected=", ".join(wanted))]
    return [writer.passed(f"{', '.join(wanted)} are available", measured=len(wanted), unit="zones")]
