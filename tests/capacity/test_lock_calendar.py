"""Times in a lock file by which nothing can be reckoned."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bedplate.lockfile import LockRefused, lock_path, read_lock
from bedplate.spec import load_environment
from tests.support.locks import lock_for

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("0001-01-01T00:00:00Z", "0001-01-01T00:10:00Z"),
        ("2026-07-01T11:30:00Z", "9999-12-31T23:59:59-05:00"),
        (0, 10),
    ],
)
def test_a_moment_at_the_end_of_the_calendar_is_no_lock(tmp_path: Path, start: object, end: object) -> None:
    """Times by which nothing can be reckoned are refused as a broken file, and not met at synthesis."""
    lock = lock_for(load_environment(ROOT / "environments" / "prod-slurm.yaml")).model_dump(mode="json")
    for reservation in lock["reservations"].values():
        reservation |= {"start": start, "end": end}
    file = tmp_path / "prod.yaml"
    lock_path(file).write_bytes(json.dumps(lock).encode())
    with pytest.raises(LockRefused, match="is no year") as refused:
        read_lock(file)
    assert refused.value.error_id == "LCK-001"
