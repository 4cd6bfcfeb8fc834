"""PRE-032: the placement group that a reservation was made in is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.validation.preflight.context import Preflight, of_pool

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment
    from bedplate.spec.pools import Pool

ROW = CheckRow(
    id="PRE-032",
    title="the placement group that a pool names is there",
    what="That `capacity.placement_group` exists, is available, and is a cluster placement group (EC2 "
    "DescribePlacementGroups).",
    why="A launch into a group that is not there fails, after network and file system have been made; a "
    "group of another kind keeps nodes apart, or takes no reservation.",
    fix="Give the name of the group that the reservation was made in, or leave the field away where it was "
    "made in none.",
    by_hand="`aws ec2 describe-placement-groups --group-names NAME`",
)


def applies(environment: Environment) -> bool:
    """Where a pool names a placement group."""
    return any(_named(pool) for pool in environment.pools)


def check(preflight: Preflight) -> list[Verdict]:
    """One verdict for each pool that names a group."""
    return [_pool(preflight, pool, name) for pool in preflight.environment.pools if (name := _named(pool))]


def _pool(preflight: Preflight, pool: Pool, name: str) -> Verdict:
    from botocore.exceptions import ClientError

    from bedplate.errors import AwsRefused
    from bedplate.validation.aws import aws_errors, error_code

    writer = of_pool(ROW.id, pool)
    try:
        with aws_errors(f"reading the placement group {name}"):
            rows = preflight.clients.ec2.describe_placement_groups(GroupNames=[name])["PlacementGroups"]
    except AwsRefused as error:
        cause = error.__cause__
        if isinstance(cause, ClientError) and error_code(cause) == "InvalidPlacementGroup.Unknown":
            return writer.failed(f"there is no placement group {name!r}", remedy=ROW.fix)
        raise
    if len(rows) != 1:
        return writer.not_made(f"EC2 tells of {len(rows)} placement groups {name!r}")
    told = f"{rows[0].get('Strategy')}, {rows[0].get('State')}"
    if told != "cluster, available":
        return writer.failed(
            f"{name!r} is {told}", measured=told, expected="cluster, available", remedy=ROW.fix
        )
    return writer.passed(f"{name!r} is {told}", measured=told, expected="cluster, available")


def _named(pool: Pool) -> str:
    return str(getattr(pool.capacity, "placement_group", None) or "")
