"""PRE-010: the reservation is of the type, zone and size that the pool needs, and there when it is needed."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from bedplate.capacity.locked import reservation_of
from bedplate.diagnosis.verdict import Finding, Severity
from bedplate.explanation import CheckRow
from bedplate.validation.preflight.context import Preflight, Writer, of_pool

if TYPE_CHECKING:
    from types_boto3_ec2.type_defs import CapacityReservationTypeDef

    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment
    from bedplate.spec.pools import Pool

ROW = CheckRow(
    id="PRE-010",
    title="the pool's reservation fits it",
    what="The reservation's instance type, zone id, size (all pools that name it together), kind (Capacity "
    "Block or not), tenancy, platform, placement group, state and end (EC2 DescribeCapacityReservations), "
    "against the pool.",
    why="A reservation of another type or zone is never used and still paid for; it gives nothing to "
    "launches into another placement group than the one that it was made in; a Capacity Block ends on a day, "
    "and its instances are taken away half an hour before.",
    fix="Correct `capacity.reservation`, `capacity.placement_group`, the pool's size or `network.zone`.",
    by_hand="`aws ec2 describe-capacity-reservations --capacity-reservation-ids ID`",
)
_BLOCK_SOURCES = ("capacity-block", "ultraserver-block")
_SOON = timedelta(days=1)
_PLATFORM = "Linux/UNIX"
"""Of Ubuntu and Amazon Linux; EC2 fills reservations of another platform by none of their launches."""
# EC2 ends a block's instances 30 minutes before its end, an UltraServer's 60 (EC2 User Guide, Capacity
# Blocks).
_ENDS_BEFORE = {"capacity-block": timedelta(minutes=30), "ultraserver-block": timedelta(minutes=60)}


def applies(environment: Environment) -> bool:
    """Where a pool names a reservation."""
    return any(reservation_of(pool) for pool in environment.pools)


def check(preflight: Preflight) -> list[Verdict]:
    """One verdict for each pool that names a reservation."""
    named = [(pool, reservation_of(pool)) for pool in preflight.environment.pools]
    return [_pool(preflight, pool, wanted) for pool, wanted in named if wanted]


def _pool(preflight: Preflight, pool: Pool, wanted: str) -> Verdict:
    from botocore.exceptions import ClientError

    from bedplate.errors import AwsRefused
    from bedplate.validation.aws import error_code
    from bedplate.validation.preflight.usage import reservations

    writer = of_pool(ROW.id, pool)
    try:
        rows = reservations(preflight, [wanted])
    except AwsRefused as error:
        cause = error.__cause__
        if isinstance(cause, ClientError) and error_code(cause).startswith("InvalidCapacityReservationId"):
            return writer.failed(
                f"there is no reservation {wanted} in this account and Region", remedy=ROW.fix
            )
        raise
    if len(rows) != 1:
        return writer.not_made(f"EC2 tells of {len(rows)} reservations with the id {wanted}")
    together = [each for each in preflight.environment.pools if reservation_of(each) == wanted]
    return judge(
        writer,
        pool=pool,
        row=rows[0],
        zone=preflight.environment.network.zone,
        now=preflight.now,
        nodes=sum(each.max_nodes for each in together),
    )


def judge(
    writer: Writer,
    *,
    pool: Pool,
    row: CapacityReservationTypeDef,
    zone: str,
    now: datetime,
    nodes: int | None = None,
) -> Verdict:
    """Hold a reservation against a pool; pure.

    ``nodes`` is how many nodes all pools that name the reservation may have, None for the pool's own.
    """
    from bedplate.validation.capacity_facts import reserved_instances

    problems = [*_identity_problems(pool, row, zone), *_time_problems(pool, row, now)]
    total, available = reserved_instances(row), row.get("AvailableInstanceCount", 0)
    wanted = nodes or pool.max_nodes
    if total < wanted:
        who = "the pool" if wanted == pool.max_nodes else "the pools that name it"
        problems.append(f"it holds {total} instances, {who} up to {wanted}")
    told = f"{row.get('State')}, {available} of {total} instances free, {row.get('InstanceType')}"
    if problems:
        return writer.failed(
            "; ".join(problems), measured=told, expected=_expected(pool, zone), remedy=ROW.fix
        )
    return writer.passed(
        told, measured=told, expected=_expected(pool, zone), findings=tuple(_findings(row, pool, now))
    )


def _identity_problems(pool: Pool, row: CapacityReservationTypeDef, zone: str) -> list[str]:
    problems = []
    if row.get("InstanceType") != pool.instance_type:
        problems.append(f"it is of {row.get('InstanceType')}, the pool of {pool.instance_type}")
    if row.get("AvailabilityZoneId") != zone:
        problems.append(f"it is in {row.get('AvailabilityZoneId')}, the environment in {zone}")
    block = row.get("ReservationType", "default") == "capacity-block"
    if block != (pool.capacity.source in _BLOCK_SOURCES):
        kind = "a Capacity Block" if block else "an On-Demand Capacity Reservation"
        problems.append(f"it is {kind}, the pool's source is {pool.capacity.source}")
    if row.get("Tenancy", "default") != "default":
        problems.append(f"it is of {row.get('Tenancy')} tenancy, nodes are launched on shared hardware")
    return problems + _placement_problems(pool, row)


def _placement_problems(pool: Pool, row: CapacityReservationTypeDef) -> list[str]:
    """EC2 finds no capacity in a reservation for a launch that names another placement group than its own."""
    inside, named = placement_group_of(row), getattr(pool.capacity, "placement_group", None) or ""
    if not named or inside == named:
        return []
    where = f"the placement group {inside!r}" if inside else "no placement group"
    return [f"it was made in {where}, and the pool names {named!r}"]


def placement_group_of(row: CapacityReservationTypeDef) -> str:
    """The name of the group that a reservation was made in; empty for none."""
    return row.get("PlacementGroupArn", "").partition(":placement-group/")[2]


def _time_problems(pool: Pool, row: CapacityReservationTypeDef, now: datetime) -> list[str]:
    state = row.get("State")
    # A block's node group has no nodes before the block is delivered, so a scheduled one will do.
    allowed = ("active", "scheduled") if pool.capacity.source in _BLOCK_SOURCES else ("active",)
    if state not in allowed:
        return [f"it is {state}"]
    end = row.get("EndDate")
    if end is not None and end - _ENDS_BEFORE.get(pool.capacity.source, timedelta()) <= now:
        return [f"it ends {_when(end)}"]
    return []


def _findings(row: CapacityReservationTypeDef, pool: Pool, now: datetime) -> list[Finding]:
    findings = []
    end = row.get("EndDate")
    if end is not None and end - now < _SOON:
        findings.append(
            Finding(Severity.WARNING, f"it ends {_when(end)}, within a day", "Extend it in time.")
        )
    platform = row.get("InstancePlatform", _PLATFORM)
    if platform != _PLATFORM:
        text = f"it is for {platform}, and the images that nodes are made from are of {_PLATFORM}"
        findings.append(Finding(Severity.WARNING, text, f"Give an image of {platform}, or reserve anew."))
    inside = placement_group_of(row)
    if inside and not getattr(pool.capacity, "placement_group", None):
        text = f"it was made in the placement group {inside!r}, which the nodes will not be members of"
        findings.append(Finding(Severity.INFO, text, f"Write `placement_group: {inside}` if they should."))
    available = row.get("AvailableInstanceCount", 0)
    if row.get("State") == "active" and available < pool.max_nodes:
        text = f"{available} instances are free, the pool may need {pool.max_nodes}"
        findings.append(Finding(Severity.WARNING, text, "See who uses the reservation."))
    return findings


def _expected(pool: Pool, zone: str) -> str:
    return f"{pool.max_nodes} × {pool.instance_type} in {zone}"


def _when(moment: datetime | None) -> str:
    return "at an unknown time" if moment is None else f"{moment:%Y-%m-%d %H:%M} UTC"
