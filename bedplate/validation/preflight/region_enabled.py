"""PRE-002: the account may use the Region."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.validation.preflight.context import Preflight, Writer

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment

ROW = CheckRow(
    id="PRE-002",
    title="the account may use the Region",
    what="The Region's opt-in status in this account (EC2 DescribeRegions).",
    why="Regions opened after March 2019 are off until the account opts in, which takes minutes to hours.",
    fix="Enable the Region on the account's page, or have the organisation do it.",
    by_hand="`aws ec2 describe-regions --all-regions --region-names REGION`",
)
_OPEN = ("opt-in-not-required", "opted-in")


def applies(environment: Environment) -> bool:  # noqa: ARG001 - one signature for all checks
    """Always."""
    return True


def check(preflight: Preflight) -> list[Verdict]:
    """Ask for the Region's status."""
    from bedplate.validation.aws import aws_errors

    writer, region = Writer(ROW.id), preflight.environment.region
    with aws_errors(f"asking for the Region {region}"):
        rows = preflight.clients.ec2.describe_regions(RegionNames=[region], AllRegions=True)["Regions"]
    status = rows[0].get("OptInStatus", "unknown") if rows else "unknown"
    if status not in _OPEN:
        remedy = f"Enable {region} for this account, then wait until it is."
        return [writer.failed(f"{region} is {status}", measured=status, expected="opted-in", remedy=remedy)]
    return [writer.passed(f"{region} is {status}", measured=status)]
