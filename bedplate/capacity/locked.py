"""Whether a lock file belongs to an environment, and what it says of a pool."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bedplate.capacity.block_length import impossible_length
from bedplate.capacity.times import CapacityTimes, capacity_times
from bedplate.lockfile import BLOCKS, LockedReservation, LockFile, LockRefused, ReservationKind
from bedplate.spec import Environment
from bedplate.spec.capacity_sources import (
    CapacityBlock,
    InterruptibleReservation,
    TargetedReservation,
    UltraServerBlock,
)
from bedplate.spec.pools import Pool

KIND_OF_SOURCE: Mapping[str, ReservationKind] = MappingProxyType(
    {
        "targeted-reservation": "on-demand",
        "interruptible-reservation": "interruptible",
        "capacity-block": "capacity-block",
        "ultraserver-block": "ultraserver-block",
    }
)
"""Capacity source that names a reservation → what kind of reservation it must be."""


AGAIN = "Ask AWS again with `bedplate lock`, and review what changes in the file."


def reservation_of(pool: Pool) -> str | None:
    """The id of the reservation that a pool's source names; None where it names none, or has one made."""
    source = pool.capacity
    if isinstance(source, CapacityBlock | UltraServerBlock | InterruptibleReservation):
        return source.reservation
    if isinstance(source, TargetedReservation) and source.reservation != "create":
        return source.reservation
    return None


def times_of(*, pool: Pool, lock: LockFile | None) -> CapacityTimes | None:
    """When the block of a pool begins and ends; None for a pool that is on none."""
    reservation = reservation_of(pool)
    if reservation is None or lock is None:
        return None
    return capacity_times(reservation=lock.reservations[reservation])


def needs_lock(environment: Environment) -> bool:
    """Whether a pool is on a block, so that nothing can be synthesised without a lock file."""
    return any(KIND_OF_SOURCE.get(pool.capacity.source) in BLOCKS for pool in environment.pools)


def check_lock(*, environment: Environment, lock: LockFile | None) -> None:
    """Hold a lock file against its environment by content; no clock is read.

    Without a lock an environment is let through unless a pool is on a block: the block's end could then be
    told to nobody. Raises ``LockRefused``: LCK-002 (block without a lock), LCK-003 (a lock of another
    environment, account or Region), LCK-004 (a reservation that it does not know), LCK-005 (one that is not
    what the pool wants), LCK-006 (a block with fewer instances than its pools), LCK-009 (a type that the zone
    does not offer), LCK-010 (a block of a length that EC2 does not sell).
    """
    if lock is None:
        _need_none(environment)
        return
    _check_owner(environment, lock)
    for pool in environment.pools:
        _check_pool(pool, environment, lock)
        _check_offering(pool, environment, lock)
    _check_sizes(environment, lock)
    _check_lengths(environment, lock)


def _need_none(environment: Environment) -> None:
    for pool in environment.pools:
        if KIND_OF_SOURCE.get(pool.capacity.source) in BLOCKS:
            raise LockRefused(
                f"environment {environment.name}, pool {pool.name}: block {reservation_of(pool)} is in "
                "no lock file, so that nobody could be told of its end",
                error_id="LCK-002",
                remedy=AGAIN,
            )


def _check_owner(environment: Environment, lock: LockFile) -> None:
    pairs = (
        ("environment", lock.environment, environment.name),
        ("account", lock.account, environment.account),
        ("region", lock.region, environment.region),
    )
    for field, locked, wanted in pairs:
        if locked != wanted:
            raise LockRefused(
                f"the lock file of environment {environment.name} is of {field} {locked}, not {wanted}",
                error_id="LCK-003",
                remedy=AGAIN,
            )


def _check_pool(pool: Pool, environment: Environment, lock: LockFile) -> None:
    reservation = reservation_of(pool)
    if reservation is None:
        return
    locked = lock.reservations.get(reservation)
    if locked is None:
        known = ", ".join(sorted(lock.reservations)) or "none"
        raise LockRefused(
            f"environment {environment.name}, pool {pool.name}: the lock file does not know reservation "
            f"{reservation}; it knows {known}",
            error_id="LCK-004",
            remedy=AGAIN,
        )
    for field, has, wants in _differences(pool, environment, locked):
        raise LockRefused(
            f"environment {environment.name}, pool {pool.name}: the lock file has reservation {reservation} "
            f"with {field} {has}, and the pool wants {wants}",
            error_id="LCK-005",
            remedy=f"Name a reservation that fits, or change the pool. If it was changed at AWS: {AGAIN}",
        )


def _check_offering(pool: Pool, environment: Environment, lock: LockFile) -> None:
    """A type that nobody asked about is let be, and so is one with a reservation that proves its zone.

    That holds for a block before it begins too: EC2 sold it there, and a Local Zone may not be listed.
    """
    zones = lock.offerings.get(pool.instance_type)
    zone = environment.network.zone
    proven = reservation_of(pool) is not None
    if proven or zones is None or zone in zones:
        return
    raise LockRefused(
        f"environment {environment.name}, pool {pool.name}: by the lock file {zone} does not offer "
        f"{pool.instance_type}; zones of {environment.region} that do: {', '.join(zones) or 'none'}",
        error_id="LCK-009",
        remedy=f"Use a zone that offers it, or another type. If it is offered by now: {AGAIN}",
    )


def _check_sizes(environment: Environment, lock: LockFile) -> None:
    """PCS takes no node group that may outgrow its block (PCS User Guide, capacity-blocks-configure-cng)."""
    for reservation, locked in sorted(lock.reservations.items()):
        pools = [pool for pool in environment.pools if reservation_of(pool) == reservation]
        names = ", ".join(pool.name for pool in pools)
        wanted = sum(pool.max_nodes for pool in pools)
        if locked.kind in BLOCKS and wanted > locked.instances:
            raise LockRefused(
                f"environment {environment.name}, pool {names}: {wanted} nodes at most, and block "
                f"{reservation} has {locked.instances} instances",
                error_id="LCK-006",
                remedy="Lower the pool's nodes to what the block has.",
            )


def _check_lengths(environment: Environment, lock: LockFile) -> None:
    for reservation, locked in sorted(lock.reservations.items()):
        problem = impossible_length(locked)
        if problem is not None:
            raise LockRefused(
                f"environment {environment.name}: by the lock file block {reservation} lasts {problem}",
                error_id="LCK-010",
                remedy=AGAIN,
            )


def _differences(
    pool: Pool, environment: Environment, locked: LockedReservation
) -> list[tuple[str, object, object]]:
    same = (
        ("kind", locked.kind, KIND_OF_SOURCE[pool.capacity.source]),
        ("instance type", locked.instance_type, pool.instance_type),
        ("zone", locked.zone_id, environment.network.zone),
    )
    return [(field, has, wants) for field, has, wants in same if has != wants]
