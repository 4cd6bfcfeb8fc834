"""PRE-018: the Local Zone is opted in to; what no source settles about it is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.hardware.local_zones import UNVERIFIED
from bedplate.spec.regions import is_local_zone
from bedplate.validation.preflight.context import Preflight, Writer

if TYPE_CHECKING:
    from types_boto3_ec2.type_defs import AvailabilityZoneTypeDef

    from bedplate.diagnosis.verdict import Finding, Verdict
    from bedplate.spec import Environment

ROW = CheckRow(
    id="PRE-018",
    title="the Local Zone is opted in to",
    what="Where `network.zone` is a Local Zone: its kind, whether the account has opted in to its group, and "
    "which Availability Zone is its parent. The report warns of what no document of AWS settles.",
    why="A Local Zone is off until its group is opted in to. File systems, NAT gateway, endpoints and the "
    "scheduler stand in the first control zone, and are nearest where that is the parent zone.",
    fix="Opt in with the command that the report prints; it takes minutes.",
    by_hand="`aws ec2 describe-availability-zones --all-availability-zones --zone-ids use1-dfw2-az1`",
)


def applies(environment: Environment) -> bool:
    """Where the capacity is in a Local Zone."""
    return is_local_zone(environment.network.zone)


def check(preflight: Preflight) -> list[Verdict]:
    """Ask for all zones, those included that are not opted in to."""
    from bedplate.validation.aws import aws_errors

    network = preflight.environment.network
    with aws_errors("asking for the zones"):
        rows = preflight.clients.ec2.describe_availability_zones(AllAvailabilityZones=True)[
            "AvailabilityZones"
        ]
    row = next((each for each in rows if each.get("ZoneId") == network.zone), None)
    return [judge(Writer(ROW.id), zone=network.zone, row=row, first_control_zone=network.control_zones[0])]


def judge(
    writer: Writer, *, zone: str, row: AvailabilityZoneTypeDef | None, first_control_zone: str
) -> Verdict:
    """Hold what EC2 tells of the zone against what is needed. Asks nothing."""
    if row is None:
        return writer.failed(f"there is no zone {zone}", remedy="Correct the zone's id.")
    if row.get("ZoneType") != "local-zone":
        return writer.failed(f"{zone} is of the kind {row.get('ZoneType')}", remedy="Correct the zone's id.")
    if row.get("OptInStatus") != "opted-in":
        group = row.get("GroupName", "GROUP")
        return writer.failed(
            f"{zone} is {row.get('OptInStatus')}",
            measured=row.get("OptInStatus"),
            expected="opted-in",
            remedy=f"`aws ec2 modify-availability-zone-group --group-name {group} --opt-in-status opted-in`",
        )
    return writer.passed(
        f"{zone} is opted in to; its parent zone is {row.get('ParentZoneId', 'not told')}",
        measured="opted-in",
        expected="opted-in",
        findings=_findings(row, first_control_zone=first_control_zone),
    )


def _findings(row: AvailabilityZoneTypeDef, *, first_control_zone: str) -> tuple[Finding, ...]:
    from bedplate.diagnosis.verdict import Finding, Severity

    found = [
        Finding(Severity.WARNING, f"unverified: {text}", "Try it with one node before the block begins.")
        for text in UNVERIFIED
    ]
    parent = row.get("ParentZoneId")
    if parent and parent != first_control_zone:
        text = f"file systems and scheduler stand in {first_control_zone}, the parent zone is {parent}"
        found.append(Finding(Severity.INFO, text, f"Name {parent} first in `control_zones`."))
    return tuple(found)
