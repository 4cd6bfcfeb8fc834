"""The four moments of a block."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bedplate.capacity.times import capacity_times
from bedplate.lockfile import LockedReservation, ReservationKind

START = datetime(2026, 7, 1, 11, 30, tzinfo=UTC)
END = datetime(2026, 7, 15, 11, 30, tzinfo=UTC)


def _reservation(kind: ReservationKind) -> LockedReservation:
    return LockedReservation(
        kind=kind, instance_type="p5.48xlarge", zone_id="usw2-az2", instances=4, start=START, end=END
    )


@pytest.mark.parametrize(
    ("kind", "warning", "taken"),
    [("capacity-block", (10, 50), (11, 0)), ("ultraserver-block", (10, 20), (10, 30))],
)
def test_instances_are_taken_before_the_end(
    kind: ReservationKind, warning: tuple[int, int], taken: tuple[int, int]
) -> None:
    """EC2 takes a block's instances 30 minutes before its end, an UltraServer's 60; it warns 10 before."""
    times = capacity_times(reservation=_reservation(kind))
    assert times is not None
    assert (times.warning.hour, times.warning.minute) == warning
    assert (times.taken.hour, times.taken.minute) == taken
    assert times.start < times.warning < times.taken < times.end


@pytest.mark.parametrize("kind", ["on-demand", "interruptible"])
def test_other_reservations_have_no_such_times(kind: ReservationKind) -> None:
    """A reservation that is no block has none, even where it has an end."""
    assert capacity_times(reservation=_reservation(kind)) is None
