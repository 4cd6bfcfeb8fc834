"""One run at a time, and which run that was cut off is taken up."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bedplate.errors import BedplateError, ChecksFailed
from bedplate.validation import run_lock
from bedplate.validation.run_lock import ACTIONS, LOCK_KEY, Resume, RunLock, last_run, take_hold
from bedplate.validation.stores.folder import FolderStore

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
OTHER = "another-host pid 7"


def hold(
    folder: Path,
    *,
    run_id: str = "run-2",
    fingerprint: str = "f",
    resume: Resume = Resume.AUTO,
    holder: str = OTHER,
    now: datetime = NOW,
) -> RunLock:
    """Take the hold of a folder."""
    return take_hold(
        store=FolderStore(folder),
        new_run_id=lambda: run_id,
        fingerprint=fingerprint,
        resume=resume,
        holder=holder,
        now=lambda: now,
    )


def grown_old(folder: Path, seconds: float) -> None:
    """Let the last sign be so long ago."""
    path = folder / LOCK_KEY
    then = path.stat().st_mtime - seconds
    os.utime(path, (then, then))


def test_a_second_run_is_refused_while_the_first_is_alive(tmp_path: Path) -> None:
    """It is told which run, whose, and since when."""
    hold(tmp_path, run_id="run-1")
    with pytest.raises(ChecksFailed, match="run run-1 of another-host pid 7 is under way") as caught:
        hold(tmp_path)
    assert caught.value.error_id == "RUN-001"


def test_a_run_that_came_to_its_end_leaves_nothing_to_take_up(tmp_path: Path) -> None:
    """The next run begins anew."""
    hold(tmp_path, run_id="run-1").release(complete=True)
    second = hold(tmp_path)
    assert (second.claim.run_id, second.resumed) == ("run-2", False)


def test_a_run_that_was_interrupted_is_taken_up_under_its_own_name(tmp_path: Path) -> None:
    """Name and beginning stay; so its answers in the bucket are found."""
    first = hold(tmp_path, run_id="run-1")
    first.release(complete=False)
    second = hold(tmp_path, now=NOW + timedelta(minutes=30))
    assert (second.claim.run_id, second.resumed) == ("run-1", True)
    assert second.claim.begun_at == first.claim.begun_at


def test_a_run_that_was_killed_is_taken_up_when_its_lease_is_over(tmp_path: Path) -> None:
    """It gave no sign for ten minutes, and could not say that it ended."""
    hold(tmp_path, run_id="run-1")
    grown_old(tmp_path, run_lock.LEASE_SECONDS + 1)
    assert hold(tmp_path).resumed


def test_a_run_killed_on_this_machine_is_known_to_be_dead_at_once(tmp_path: Path) -> None:
    """Its process is gone: nobody has to wait for the lease."""
    mine = run_lock.holder_here()
    gone = mine.rpartition(" ")[0] + " 4194305"  # beyond the largest process id of Linux
    hold(tmp_path, run_id="run-1", holder=gone)
    assert hold(tmp_path, holder=mine).resumed
    with pytest.raises(ChecksFailed, match="under way"):
        hold(tmp_path)


@pytest.mark.parametrize(
    ("fingerprint", "resume", "later"),
    [
        ("another", Resume.AUTO, timedelta(0)),
        ("f", Resume.FRESH, timedelta(0)),
        ("f", Resume.AUTO, run_lock.RESUME_WITHIN),
    ],
)
def test_another_deployment_a_wish_and_old_age_begin_anew(
    tmp_path: Path, fingerprint: str, resume: Resume, later: timedelta
) -> None:
    """What was measured then says nothing about this run's cluster, or was not wanted."""
    hold(tmp_path, run_id="run-1").release(complete=False)
    second = hold(tmp_path, fingerprint=fingerprint, resume=resume, now=NOW + later)
    assert (second.claim.run_id, second.resumed) == ("run-2", False)


@pytest.mark.parametrize(
    ("before", "fingerprint", "later", "why"),
    [
        (None, "f", timedelta(0), "none before"),
        (True, "f", timedelta(0), "came to its end"),
        (False, "g", timedelta(0), "another deployment"),
        (False, "f", timedelta(hours=3), "longer ago"),
    ],
)
def test_insisting_on_a_run_that_cannot_be_taken_up_is_refused(
    tmp_path: Path, before: bool | None, fingerprint: str, later: timedelta, why: str
) -> None:
    """`--resume` never begins anew in silence."""
    if before is not None:
        hold(tmp_path, run_id="run-1").release(complete=before)
    with pytest.raises(BedplateError, match=why) as caught:
        hold(tmp_path, fingerprint=fingerprint, resume=Resume.REQUIRED, now=NOW + later)
    assert caught.value.error_id == "RUN-002"


def test_a_run_notices_that_it_was_taken_over(tmp_path: Path) -> None:
    """It ends with RUN-003, and does not overwrite the other's hold when it does."""
    first = hold(tmp_path, run_id="run-1")
    first.sign()
    first.check()
    grown_old(tmp_path, run_lock.LEASE_SECONDS + 1)
    second = hold(tmp_path, resume=Resume.FRESH)
    first.sign()
    with pytest.raises(BedplateError, match="lost its hold") as caught:
        first.check()
    assert caught.value.error_id == "RUN-003"
    first.release(complete=True)
    found = last_run(FolderStore(tmp_path))
    assert found == second.claim


def test_a_sign_that_cannot_be_given_for_a_moment_ends_nothing(tmp_path: Path, monkeypatch) -> None:
    """The lease is longer than a disturbance."""
    first = hold(tmp_path)

    def away(*_args, **_more):
        raise BedplateError("away", error_id="AWS-001")

    monkeypatch.setattr(FolderStore, "replace", away)
    first.sign()
    first.check()
    monkeypatch.undo()
    first.sign()
    first.check()
    assert last_run(FolderStore(tmp_path)) == first.claim


@pytest.mark.parametrize("text", ["", "{", "[]", json.dumps({"run_id": "x"}), json.dumps({"held": True})])
def test_an_object_that_cannot_be_read_is_somebody_s_until_its_lease_is_over(
    tmp_path: Path, text: str
) -> None:
    """Nobody can tell who wrote it, a newer Bedplate perhaps; ten minutes later it is overwritten."""
    FolderStore(tmp_path).write(LOCK_KEY, text.encode())
    with pytest.raises(ChecksFailed, match="cannot be read") as caught:
        hold(tmp_path)
    assert caught.value.error_id == "RUN-001"
    grown_old(tmp_path, run_lock.LEASE_SECONDS + 1)
    assert hold(tmp_path).claim.run_id == "run-2"


def test_signs_are_given_until_the_release(tmp_path: Path, monkeypatch) -> None:
    """A thread of its own gives them, and ends with the run."""
    monkeypatch.setattr(run_lock, "SIGN_SECONDS", 0.01)
    first = hold(tmp_path)
    before = FolderStore(tmp_path).read(LOCK_KEY)
    first.keep_alive()
    deadline = datetime.now(UTC) + timedelta(seconds=5)
    while FolderStore(tmp_path).read(LOCK_KEY).tag == before.tag:
        assert datetime.now(UTC) < deadline
    first.release(complete=True)
    after = last_run(FolderStore(tmp_path))
    assert after is not None
    assert (after.held, after.complete) == (False, True)


@pytest.mark.parametrize("killed", [False, True])
def test_an_action_leaves_a_run_that_was_cut_off_to_be_taken_up(tmp_path: Path, killed: bool) -> None:
    """Whether the action ends well or is killed itself, `--resume` finds the run under its own name."""
    first = hold(tmp_path, run_id="run-1")
    first.release(complete=False)
    action = hold(tmp_path, run_id="act-1", fingerprint=ACTIONS, resume=Resume.FRESH)
    with pytest.raises(ChecksFailed, match="run act-1 of another-host pid 7 is under way"):
        hold(tmp_path)
    if killed:
        grown_old(tmp_path, run_lock.LEASE_SECONDS + 1)
    else:
        action.release(complete=True)
        assert last_run(FolderStore(tmp_path)) == first.claim
    second = hold(tmp_path, resume=Resume.REQUIRED)
    assert (second.claim.run_id, second.resumed) == ("run-1", True)


def test_a_run_that_was_killed_does_not_look_alive_after_an_action(tmp_path: Path) -> None:
    """It could not say that it ended; the action puts it back as one that is not held, and not complete."""
    hold(tmp_path, run_id="run-1")
    grown_old(tmp_path, run_lock.LEASE_SECONDS + 1)
    hold(tmp_path, run_id="act-1", fingerprint=ACTIONS, resume=Resume.FRESH).release(complete=True)
    second = hold(tmp_path, resume=Resume.REQUIRED)
    assert (second.claim.run_id, second.resumed) == ("run-1", True)


def test_actions_after_actions_keep_the_last_run(tmp_path: Path) -> None:
    """One that is killed hands on what it found."""
    hold(tmp_path, run_id="run-1").release(complete=False)
    for run_id in ("act-1", "act-2"):
        hold(tmp_path, run_id=run_id, fingerprint=ACTIONS, resume=Resume.FRESH)
        grown_old(tmp_path, run_lock.LEASE_SECONDS + 1)
    assert hold(tmp_path, resume=Resume.REQUIRED).claim.run_id == "run-1"


def test_an_action_is_no_run(tmp_path: Path) -> None:
    """Where nothing was ever validated, there is no last run after an action either."""
    hold(tmp_path, run_id="act-1", fingerprint=ACTIONS, resume=Resume.FRESH).release(complete=True)
    assert last_run(FolderStore(tmp_path)) is None
    with pytest.raises(BedplateError, match="there was none before"):
        hold(tmp_path, resume=Resume.REQUIRED)
