"""When a reservation begins, when EC2 warns, when it takes the instances, and when it ends.

Source: EC2 User Guide, "Capacity Blocks for ML": instances are terminated from 30 minutes before a block's
end, from 60 minutes for UltraServers, and EventBridge hears of it 10 minutes before that.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from bedplate.lockfile import LockedReservation, ReservationKind

WARNING_MINUTES = 10
"""How long before EC2 begins to take the instances it sends the event."""

TAKEN_MINUTES: dict[ReservationKind, int] = {"capacity-block": 30, "ultraserver-block": 60}
"""How long before a block's end EC2 begins to take its instances."""


def warning_minutes(kind: ReservationKind) -> int:
    """How long before a block's end EC2 warns. Raises ``KeyError`` for what is no block."""
    return TAKEN_MINUTES[kind] + WARNING_MINUTES


@dataclass(frozen=True, kw_only=True)
class CapacityTimes:
    """Four moments of a block, in UTC and in this order."""

    start: datetime
    warning: datetime
    """EC2 sends the event that it will take the instances."""
    taken: datetime
    """EC2 begins to take the instances."""
    end: datetime


def capacity_times(*, reservation: LockedReservation) -> CapacityTimes | None:
    """The moments of a block; None for a reservation that is none, whose instances EC2 does not take."""
    minutes = TAKEN_MINUTES.get(reservation.kind)
    if minutes is None or reservation.start is None or reservation.end is None:
        return None
    end = reservation.end.astimezone(UTC)
    taken = end - timedelta(minutes=minutes)
    return CapacityTimes(
        start=reservation.start.astimezone(UTC),
        warning=taken - timedelta(minutes=WARNING_MINUTES),
        taken=taken,
        end=end,
    )
