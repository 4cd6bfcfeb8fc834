"""Ask AWS for what a lock file holds: reservations, where types are offered, and AMI ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from bedplate.capacity.images import architectures_in_use, image_pins
from bedplate.capacity.locked import reservation_of
from bedplate.errors import AwsRefused
from bedplate.hardware import INSTANCE_TYPES
from bedplate.lockfile import (
    LOCK_VERSION,
    Architecture,
    LockedImage,
    LockedReservation,
    LockFile,
    ReservationKind,
)
from bedplate.validation.aws import AwsClients, aws_errors, error_code

if TYPE_CHECKING:
    from types_boto3_ec2.type_defs import CapacityReservationTypeDef

    from bedplate.spec import Environment

_REQUESTED = "aws:ec2capacityreservation:incrementalRequestedQuantity"
"""Tag with the size of a block that has not begun: its available capacity is shown as zero until then
(EC2 User Guide, "View Capacity Blocks")."""


def ask_for_lock(
    environment: Environment,
    clients: AwsClients,
    *,
    locked_at: datetime,
    keep: Mapping[Architecture, LockedImage] | None = None,
) -> LockFile:
    """Ask AWS once for all that the environment's lock file holds.

    Images in ``keep`` (architecture → image) are not asked for again: another image launches the whole fleet
    anew. Raises ``AwsRefused``: LCK-007 for credentials of another account, LCK-008 for a reservation that is
    not there, and what ``aws_errors`` raises.
    """
    _need_account(environment, clients)
    return LockFile(
        version=LOCK_VERSION,
        environment=environment.name,
        account=environment.account,
        region=environment.region,
        locked_at=locked_at,
        images=_images(environment, clients, keep or {}),
        reservations=locked_reservations(environment, clients),
        offerings=_offerings(environment, clients),
        simulated=clients.simulated,
    )


def locked_reservations(environment: Environment, clients: AwsClients) -> dict[str, LockedReservation]:
    """Every reservation that a pool names, as EC2 describes it now. Raises ``AwsRefused`` (LCK-008)."""
    found = (reservation_of(pool) for pool in environment.pools)
    ids = sorted({reservation for reservation in found if reservation})
    rows = [_describe(reservation, clients) for reservation in ids]
    ultraservers = _ultraserver_blocks(rows, clients)
    return {
        reservation: _locked(row, ultraservers=ultraservers)
        for reservation, row in zip(ids, rows, strict=True)
    }


def _need_account(environment: Environment, clients: AwsClients) -> None:
    with aws_errors("asking whose credentials these are"):
        account = clients.sts.get_caller_identity()["Account"]
    if account != environment.account:
        raise AwsRefused(
            f"the credentials are of account {account}, environment {environment.name} is of "
            f"{environment.account}",
            error_id="LCK-007",
            remedy=f"Sign in to account {environment.account}, or set AWS_PROFILE.",
        )


def _describe(reservation: str, clients: AwsClients) -> CapacityReservationTypeDef:
    try:
        with aws_errors(f"asking for reservation {reservation}"):
            rows = clients.ec2.describe_capacity_reservations(CapacityReservationIds=[reservation])[
                "CapacityReservations"
            ]
    except AwsRefused as error:
        cause = error.__cause__
        if isinstance(cause, ClientError) and error_code(cause).startswith("InvalidCapacityReservationId"):
            raise _missing(reservation, clients.region) from error
        raise
    if len(rows) != 1:
        raise _missing(reservation, clients.region)
    return rows[0]


def _missing(reservation: str, region: str) -> AwsRefused:
    return AwsRefused(
        f"there is no reservation {reservation} in this account and {region}",
        error_id="LCK-008",
        remedy="Correct `capacity.reservation`; `aws ec2 describe-capacity-reservations` lists yours. EC2 "
        "forgets a block some time after its end.",
    )


def _ultraserver_blocks(rows: Iterable[CapacityReservationTypeDef], clients: AwsClients) -> frozenset[str]:
    """Ids of those Capacity Blocks that are of UltraServers."""
    ids = sorted({row["CapacityBlockId"] for row in rows if row.get("CapacityBlockId")})
    if not ids:
        return frozenset()
    with aws_errors("asking for the Capacity Blocks"):
        blocks = clients.ec2.describe_capacity_blocks(CapacityBlockIds=ids)["CapacityBlocks"]
    return frozenset(block.get("CapacityBlockId", "") for block in blocks if block.get("UltraserverType"))


def _locked(row: CapacityReservationTypeDef, *, ultraservers: frozenset[str]) -> LockedReservation:
    return LockedReservation(
        kind=_kind(row, ultraservers=ultraservers),
        instance_type=row.get("InstanceType", ""),
        zone_id=row.get("AvailabilityZoneId", ""),
        instances=reserved_instances(row),
        start=row.get("StartDate"),
        end=row.get("EndDate"),
        placement_group_arn=row.get("PlacementGroupArn"),
    )


def _kind(row: CapacityReservationTypeDef, *, ultraservers: frozenset[str]) -> ReservationKind:
    if row.get("Interruptible"):
        return "interruptible"
    if row.get("ReservationType", "default") != "capacity-block":
        return "on-demand"
    block = row.get("CapacityBlockId")
    known = INSTANCE_TYPES.get(row.get("InstanceType", ""))
    # Where EC2 names no block, the type tells: what is sold by UltraServers alone is one.
    by_type = block is None and known is not None and "capacity-block" not in known.capacity_sources
    return "ultraserver-block" if block in ultraservers or by_type else "capacity-block"


def reserved_instances(row: CapacityReservationTypeDef) -> int:
    """How many instances a reservation has, also before a block begins."""
    tags = {tag.get("Key"): tag.get("Value", "") for tag in row.get("Tags", [])}
    requested = tags.get(_REQUESTED, "")
    return max(row.get("TotalInstanceCount", 0), int(requested) if requested.isdecimal() else 0)


def _offerings(environment: Environment, clients: AwsClients) -> dict[str, tuple[str, ...]]:
    pools = environment.pools
    types = sorted({name for pool in pools for name in (pool.instance_type, *pool.alternative_types)})
    zones: dict[str, set[str]] = {name: set() for name in types}
    with aws_errors("asking where the instance types are offered"):
        pages = clients.ec2.get_paginator("describe_instance_type_offerings").paginate(
            LocationType="availability-zone-id", Filters=[{"Name": "instance-type", "Values": types}]
        )
        for page in pages:
            for row in page["InstanceTypeOfferings"]:
                zones.setdefault(row.get("InstanceType", ""), set()).add(row.get("Location", ""))
    return {name: tuple(sorted(found)) for name, found in sorted(zones.items()) if name in types}


def _images(
    environment: Environment, clients: AwsClients, keep: Mapping[Architecture, LockedImage]
) -> dict[Architecture, LockedImage]:
    pins = image_pins()
    images: dict[Architecture, LockedImage] = {}
    for architecture in architectures_in_use(environment):
        parameter = pins[architecture].parameter
        kept = keep.get(architecture)
        if kept is not None and kept.parameter == parameter:
            images[architecture] = kept
            continue
        with aws_errors(f"asking for the image of {architecture}"):
            answer = clients.ssm.get_parameter(Name=parameter)["Parameter"]
        images[architecture] = LockedImage(
            parameter=parameter, version=answer.get("Version", 1), image_id=answer.get("Value", "")
        )
    return images
