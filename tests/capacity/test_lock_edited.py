"""What `bedplate lock` never writes, and hands that edit or merge do: keys twice, no version, odd lengths."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from bedplate.capacity.block_length import MOST_DAYS, short_blocks
from bedplate.capacity.lock_rows import ROWS
from bedplate.capacity.locked import check_lock
from bedplate.lifecycle.lock import lock_text
from bedplate.lockfile import LockFile, LockRefused, lock_path, read_lock
from bedplate.spec import Environment, load_environment
from tests.support.locks import START, lock_for

ROOT = Path(__file__).parents[2]
BLOCK = "cr-0123456789abcdef0"


@pytest.fixture(scope="module")
def production() -> Environment:
    """An environment with one pool, on a block."""
    return load_environment(ROOT / "environments" / "prod-slurm.yaml")


def _lasting(environment: Environment, length: timedelta) -> LockFile:
    lock = lock_for(environment)
    row = lock.reservations[BLOCK].model_copy(update={"end": START + length})
    return lock.model_copy(update={"reservations": {BLOCK: row}})


def _written(lock: LockFile, folder: Path) -> Path:
    file = folder / "prod.yaml"
    lock_path(file).write_text(lock_text(lock), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("before", "after", "key"),
    [
        ('"region":', '"region": "eu-west-1", "region":', "region"),
        ('"instances":', '"instances": 1, "instances":', "instances"),
        (f'"{BLOCK}":', f'"{BLOCK}": {{}}, "{BLOCK}":', BLOCK),
    ],
)
def test_a_key_that_is_there_twice_is_refused(
    production: Environment, tmp_path: Path, before: str, after: str, key: str
) -> None:
    """A merge leaves both sides' lines; neither is chosen silently, at any depth."""
    file = _written(lock_for(production), tmp_path)
    assert read_lock(file) is not None
    text = lock_path(file).read_text(encoding="utf-8")
    assert before in text
    lock_path(file).write_text(text.replace(before, after, 1), encoding="utf-8")
    with pytest.raises(LockRefused, match=f"'{key}' is given twice") as refused:
        read_lock(file)
    assert refused.value.error_id == "LCK-001"
    assert str(lock_path(file)) in refused.value.message


def test_a_lock_file_says_its_version(production: Environment, tmp_path: Path) -> None:
    """A file without a version is of no version that this one knows."""
    file = _written(lock_for(production), tmp_path)
    data = json.loads(lock_path(file).read_text(encoding="utf-8"))
    del data["version"]
    lock_path(file).write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(LockRefused, match="version: Field required") as refused:
        read_lock(file)
    assert refused.value.error_id == "LCK-001"


@pytest.mark.parametrize(
    ("length", "words"),
    [
        (timedelta(days=MOST_DAYS + 2), "184 days, and EC2 sells none of more than 182"),
        (timedelta(minutes=40), "0:40:00"),
        (timedelta(seconds=1), "before the start"),
    ],
)
def test_a_length_that_ec2_does_not_sell_is_refused(
    production: Environment, length: timedelta, words: str
) -> None:
    """Nobody was told such a length by EC2, so nothing is reckoned by it."""
    with pytest.raises(LockRefused) as refused:
        check_lock(environment=production, lock=_lasting(production, length))
    assert refused.value.error_id == "LCK-010"
    assert refused.value.error_id in ROWS
    assert BLOCK in refused.value.message
    assert words in refused.value.message


@pytest.mark.parametrize(
    ("length", "warned"),
    [
        (timedelta(hours=6, minutes=35), True),
        (timedelta(hours=23, minutes=59), True),
        (timedelta(days=1), False),
        (timedelta(days=MOST_DAYS, hours=12), False),
    ],
)
def test_less_than_a_day_is_warned_of(production: Environment, length: timedelta, warned: bool) -> None:
    """EC2's documents have a block from 04:55 to 11:30, so a short one is let through with a warning."""
    lock = _lasting(production, length)
    check_lock(environment=production, lock=lock)
    warnings = short_blocks(lock)
    assert len(warnings) == warned
    assert all(BLOCK in each and "less than a day" in each for each in warnings)


def test_a_block_proves_its_zone_whatever_is_offered(production: Environment) -> None:
    """EC2 sold the block in its zone, which offerings need not list; a block of another zone is refused."""
    lock = lock_for(production)
    (pool,) = {pool.instance_type for pool in production.pools}
    elsewhere = lock.model_copy(update={"offerings": {pool: ("usw2-az4",)}})
    check_lock(environment=production, lock=elsewhere)
    moved = {key: each.model_copy(update={"zone_id": "usw2-az4"}) for key, each in lock.reservations.items()}
    with pytest.raises(LockRefused) as refused:
        check_lock(environment=production, lock=elsewhere.model_copy(update={"reservations": moved}))
    assert refused.value.error_id == "LCK-005"
