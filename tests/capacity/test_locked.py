"""A lock file held against its environment: what fits is let through, the rest is refused with its id."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bedplate.capacity.lock_rows import ROWS
from bedplate.capacity.locked import check_lock, reservation_of, times_of
from bedplate.errors import ExitCode
from bedplate.lockfile import LockedReservation, LockFile, LockRefused, lock_path, read_lock
from bedplate.spec import Environment, load_environment
from bedplate.spec.capacity_sources import TargetedReservation
from tests.support.locks import END, START, lock_for

ROOT = Path(__file__).parents[2]
BLOCK = "cr-0123456789abcdef2"
FIELDS = sorted(LockFile.model_fields)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)


def _nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    keys = st.sampled_from(FIELDS) | st.text(max_size=8)
    return st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=9)


def _read_or_id(file: Path) -> str:
    try:
        return "lock file" if isinstance(read_lock(file), LockFile) else "nothing"
    except LockRefused as refused:
        return refused.error_id


def _encoded(value: Any) -> bytes:
    return json.dumps(value).encode()


@pytest.fixture(scope="module")
def environment() -> Environment:
    """A targeted reservation and a block, one pool each."""
    return load_environment(ROOT / "tests/lifecycle/locked.yaml")


@pytest.fixture
def lock(environment: Environment) -> LockFile:
    """What fits it."""
    return lock_for(environment)


def _refused(environment: Environment, lock: LockFile | None) -> LockRefused:
    with pytest.raises(LockRefused) as refused:
        check_lock(environment=environment, lock=lock)
    assert refused.value.exit_code == ExitCode.SPEC_REFUSED
    assert refused.value.remedy
    assert refused.value.error_id in ROWS
    return refused.value


def _with(lock: LockFile, reservation: str, **changes: object) -> LockFile:
    changed = lock.reservations[reservation].model_copy(update=changes)
    return lock.model_copy(update={"reservations": {**lock.reservations, reservation: changed}})


def test_a_lock_that_fits_is_let_through(environment: Environment, lock: LockFile) -> None:
    """Nothing is refused, and the pool on the block has its times."""
    check_lock(environment=environment, lock=lock)
    pools = [pool for pool in environment.pools if reservation_of(pool) == BLOCK]
    times = times_of(pool=pools[0], lock=lock)
    assert times is not None
    assert (times.start, times.end) == (START, END)


def test_a_pool_without_a_block_has_no_times(environment: Environment, lock: LockFile) -> None:
    """A reservation that is no block has no end that EC2 takes instances before."""
    others = [pool for pool in environment.pools if reservation_of(pool) != BLOCK]
    assert others
    assert [times_of(pool=pool, lock=lock) for pool in others] == [None] * len(others)


def test_a_block_needs_a_lock_file(environment: Environment) -> None:
    """Without a lock nobody could be told of the end, so synthesis is refused; without blocks it is not."""
    refused = _refused(environment, None)
    assert refused.error_id == "LCK-002"
    assert BLOCK in refused.message
    pools = tuple(pool for pool in environment.pools if reservation_of(pool) != BLOCK)
    check_lock(environment=environment.model_copy(update={"pools": pools}), lock=None)


@pytest.mark.parametrize(
    ("field", "value"),
    [("environment", "other"), ("account", "999999999999"), ("region", "eu-west-1")],
)
def test_a_foreign_lock_is_refused(environment: Environment, lock: LockFile, field: str, value: str) -> None:
    """A lock of another environment, account or Region is named as such."""
    refused = _refused(environment, lock.model_copy(update={field: value}))
    assert refused.error_id == "LCK-003"
    assert field in refused.message
    assert value in refused.message


def test_a_reservation_that_the_lock_does_not_know_is_refused(
    environment: Environment, lock: LockFile
) -> None:
    """The message names what is missing and what there is, for any source that names a reservation."""
    for reservation in lock.reservations:
        rest = {key: value for key, value in lock.reservations.items() if key != reservation}
        refused = _refused(environment, lock.model_copy(update={"reservations": rest}))
        assert refused.error_id == "LCK-004"
        assert reservation in refused.message


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"instance_type": "p5.48xlarge"}, ["instance type p5.48xlarge", "p6-b300.48xlarge"]),
        ({"zone_id": "usw2-az3"}, ["zone usw2-az3", "usw2-az2"]),
        ({"kind": "ultraserver-block"}, ["kind ultraserver-block", "capacity-block"]),
    ],
)
def test_a_reservation_that_is_something_else_is_refused(
    environment: Environment, lock: LockFile, changes: dict[str, object], words: list[str]
) -> None:
    """Type, zone and kind are held against the pool; the message names both sides."""
    refused = _refused(environment, _with(lock, BLOCK, **changes))
    assert refused.error_id == "LCK-005"
    for word in words:
        assert word in refused.message


def test_a_block_smaller_than_its_pool_is_refused(environment: Environment, lock: LockFile) -> None:
    """PCS refuses a node group that may outgrow its block, so one instance too few is refused here."""
    size = lock.reservations[BLOCK].instances
    check_lock(environment=environment, lock=_with(lock, BLOCK, instances=size))
    refused = _refused(environment, _with(lock, BLOCK, instances=size - 1))
    assert refused.error_id == "LCK-006"
    assert f"{size} nodes" in refused.message


@pytest.mark.parametrize(("zones", "told"), [(("usw2-az1", "usw2-az3"), "usw2-az1, usw2-az3"), ((), "none")])
def test_a_type_that_the_zone_does_not_offer_is_refused(zones: tuple[str, ...], told: str) -> None:
    """What AWS said of the zones is held against pools without a reservation; those that do are named.

    A type that nobody asked about, and a pool whose reservation has been found in the zone, are let through;
    a block is no such proof before it begins.
    """
    demo = load_environment(ROOT / "environments/demo.yaml")
    (pool,) = demo.pools
    lock = lock_for(demo)
    check_lock(environment=demo, lock=lock)
    check_lock(environment=demo, lock=lock.model_copy(update={"offerings": {}}))
    elsewhere = lock.model_copy(update={"offerings": {pool.instance_type: zones}})
    refused = _refused(demo, elsewhere)
    assert refused.error_id == "LCK-009"
    assert refused.message.endswith(f"that do: {told}")
    targeted = TargetedReservation(source="targeted-reservation", reservation=BLOCK)
    reserved = demo.model_copy(update={"pools": (pool.model_copy(update={"capacity": targeted}),)})
    check_lock(
        environment=reserved, lock=lock_for(reserved).model_copy(update={"offerings": elsewhere.offerings})
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "EOF"),
        ("[]", "object"),
        ('{"version": 2}', "version"),
        ('{"environment": "prod"}', "version"),
        ("", "EOF"),
    ],
)
def test_a_broken_lock_file_is_refused(tmp_path: Path, text: str, words: str) -> None:
    """The message names the file and the place, and the remedy is the command that writes it anew."""
    file = tmp_path / "prod.yaml"
    lock_path(file).write_text(text, encoding="utf-8")
    with pytest.raises(LockRefused, match=words) as refused:
        read_lock(file)
    assert refused.value.error_id == "LCK-001"
    assert str(lock_path(file)) in refused.value.message
    assert "bedplate lock -e prod" in refused.value.remedy


def test_no_lock_file_is_none(tmp_path: Path) -> None:
    """An environment without a lock file has none, which is no error."""
    assert read_lock(tmp_path / "prod.yaml") is None


@pytest.mark.parametrize("kind", ["capacity-block", "ultraserver-block"])
def test_a_block_without_an_end_is_no_lock(kind: str) -> None:
    """A block that has no end, or ends before it starts, does not parse."""
    values = {"kind": kind, "instance_type": "p5.48xlarge", "zone_id": "usw2-az2", "instances": 1}
    with pytest.raises(ValueError, match="has a start and an end"):
        LockedReservation.model_validate({**values, "start": START})
    with pytest.raises(ValueError, match="not after the start"):
        LockedReservation.model_validate({**values, "start": END, "end": START})


@given(st.one_of(st.binary(max_size=200), st.recursive(SCALARS, _nested, max_leaves=8).map(_encoded)))
@settings(max_examples=200, deadline=None)
def test_no_content_of_the_file_is_a_traceback(content: bytes) -> None:
    """Whatever stands in the file, it is a lock file or it is refused with LCK-001."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "prod.yaml"
        lock_path(file).write_bytes(content)
        assert _read_or_id(file) in ("lock file", "LCK-001")


def test_a_folder_in_the_files_place_is_refused(tmp_path: Path) -> None:
    """What cannot be opened is refused like what cannot be parsed."""
    lock_path(tmp_path / "prod.yaml").mkdir()
    with pytest.raises(LockRefused) as refused:
        read_lock(tmp_path / "prod.yaml")
    assert refused.value.error_id == "LCK-001"
