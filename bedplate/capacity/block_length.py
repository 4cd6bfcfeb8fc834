"""Whether a block is as long as EC2 sells them.

EC2 User Guide, "Capacity Blocks for ML" and "Extend Capacity Blocks": days up to 14, then weeks, 182 days in
all with every extension. A block ends at 11:30 UTC; one that begins at once begins at any time of day, so
the first day may be a part of one (EC2 API, CapacityBlockDurationMinutes: from 04:55 to 11:30).
"""

from __future__ import annotations

from datetime import timedelta

from bedplate.capacity.times import TAKEN_MINUTES, warning_minutes
from bedplate.lockfile import LockedReservation, LockFile

MOST_DAYS = 182
_LONGEST = timedelta(days=MOST_DAYS + 1)
"""With the part of a day that a block has more which begins at once."""
_DAY = timedelta(days=1)


def block_length(reservation: LockedReservation) -> timedelta | None:
    """How long a block lasts; None for a reservation that is none."""
    if reservation.kind not in TAKEN_MINUTES or reservation.start is None or reservation.end is None:
        return None
    return reservation.end - reservation.start


def impossible_length(reservation: LockedReservation) -> str | None:
    """Say why a block cannot be as long as the lock file has it; None where it can, and for what is none."""
    length = block_length(reservation)
    if length is None:
        return None
    if length > _LONGEST:
        return f"{length.days} days, and EC2 sells none of more than {MOST_DAYS}"
    minutes = warning_minutes(reservation.kind)
    if length <= timedelta(minutes=minutes):
        return f"{length}, and EC2 takes the instances so early that it would warn before the start"
    return None


def short_blocks(lock: LockFile) -> tuple[str, ...]:
    """Warnings of blocks that last less than a day, which only those may that begin at once."""
    return tuple(
        f"block {name} lasts {length} (h:mm:ss), which is less than a day; compare it with what you bought"
        for name, reservation in sorted(lock.reservations.items())
        if (length := block_length(reservation)) is not None and length < _DAY
    )
