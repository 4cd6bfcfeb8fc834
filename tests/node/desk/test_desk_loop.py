"""How a desk goes on: signs of life, cancellations, restarts, and a bucket that refuses."""

from __future__ import annotations

import json
import time
from itertools import pairwise
from pathlib import Path

import pytest

from bedplate.node.desk import keys
from bedplate.node.desk.bucket import BucketError
from bedplate.node.desk.status import Status
from tests.node.desk.stage import ME, NONCE, Later, Stage


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """A desk that has nothing to do."""
    return Stage(tmp_path)


def test_a_sign_of_life_is_given_every_half_minute(stage: Stage) -> None:
    """At the first look, and not at each: the moment is the service's own, by the object's time."""
    written: list[float] = []
    stage.bucket.refuse = lambda verb, key: (
        verb == "write" and key == keys.alive_key(ME) and bool(written.append(stage.seconds))
    )
    for _ in range(7):
        stage.look()
        stage.seconds += 10
    assert written == [0, 30, 60]
    assert json.loads(stage.bucket.text(keys.alive_key(ME)))["running"] == []
    stage.order(age_seconds=-100)
    stage.look(Later())
    stage.seconds += 30
    stage.look()
    assert json.loads(stage.bucket.text(keys.alive_key(ME)))["running"] == [NONCE]


def test_it_looks_often_while_an_order_runs_and_a_while_after(stage: Stage) -> None:
    """Every 10 s at rest, every 2 s else; it ends when it is told to."""
    looks: list[float] = []

    def note(verb: str, key: str) -> bool:
        if verb == "list" and key == keys.folder_of(ME):
            looks.append(stage.seconds)
            if len(looks) == 2:
                stage.order(age_seconds=-1)
            # The program's thread has real time; the stage's own stands still until it is done.
            until = time.monotonic() + 30
            while len(looks) == 3 and stage.desk._running and time.monotonic() < until:
                time.sleep(0.01)
            if stage.seconds > 150:
                stage.stop.set()
        return False

    stage.bucket.refuse = note
    stage.desk.serve()
    pauses = [round(after - before) for before, after in pairwise(looks)]
    assert pauses[:2] == [10, 2]
    assert set(pauses) == {2, 10}
    assert 55 <= pauses.count(2) <= 65
    assert len(stage.began) == 1


def test_a_cancelled_order_is_ended_and_told(stage: Stage) -> None:
    """The mark goes when the order has ended."""
    stage.order()
    pool = Later()
    stage.look(pool)
    stage.bucket.put(keys.cancelled_key(ME, NONCE), b"")
    stage.look(pool)
    assert stage.bucket.keys("cancelled") == [keys.cancelled_key(ME, NONCE)]
    pool.go_on()
    assert stage.status() == Status(True, None, problem="it was cancelled")
    stage.look()
    assert stage.bucket.keys("cancelled") == []


def test_an_order_that_is_removed_before_it_is_taken_never_begins(stage: Stage) -> None:
    """A cancellation removes the order first, so that its mark says nothing more."""
    stage.bucket.put(keys.cancelled_key(ME, NONCE), b"")
    stage.look()
    assert stage.began == []
    assert stage.bucket.keys(ME) == [keys.alive_key(ME)]


def test_a_desk_that_is_started_anew_runs_no_order_twice(stage: Stage) -> None:
    """What it had taken is told of, wherever it was cut off: also where the order still lay there."""
    stage.order()
    stage.look(Later())
    stage.order()
    stage.desk = stage.new_desk()
    stage.look()
    stage.look()
    assert stage.began == []
    assert stage.status().begun
    assert "started anew while it worked on this" in stage.status().problem
    assert stage.bucket.keys("asked") == []
    assert stage.journal.nonces() == []


def test_an_order_that_cannot_be_taken_out_of_the_bucket_is_never_begun(stage: Stage) -> None:
    """It would be run again and again; it is told of when the bucket lets it."""
    stage.bucket.refuse = lambda verb, key: verb == "remove" and "asked" in key
    stage.order()
    stage.look()
    stage.look()
    assert stage.began == []
    stage.bucket.refuse = lambda _verb, _key: False
    stage.look()
    assert stage.began == []
    assert (stage.status().begun, stage.bucket.keys("asked")) == (False, [])
    assert "could not take it out of the bucket" in stage.status().problem


def test_an_answer_that_the_bucket_does_not_take_is_tried_again_and_then_told(stage: Stage) -> None:
    """With patience; and an order whose answer is lost is no order that nobody hears of."""
    stage.bucket.refuse = lambda verb, key: verb == "write" and "answers" in key
    stage.order()
    before = stage.seconds
    stage.look()
    assert stage.seconds - before == 17
    stage.bucket.refuse = lambda _verb, _key: False
    stage.look()
    assert len(stage.began) == 1
    assert "could not be put into the bucket" in stage.status().problem
    assert stage.status().exit_status is None


def test_a_bucket_that_refuses_is_said_and_the_desk_goes_on(stage: Stage) -> None:
    """Nothing is taken without a sign of life; afterwards all is as it was."""
    stage.bucket.refuse = lambda _verb, _key: True
    stage.order()
    stage.look()
    assert any("AccessDenied" in line for line in stage.said)
    stage.bucket.refuse = lambda _verb, _key: False
    stage.look()
    assert len(stage.began) == 1


def test_an_order_that_cannot_be_read_holds_up_no_other(stage: Stage) -> None:
    """Its key may be locked; the next one is taken all the same."""
    stage.bucket.refuse = lambda verb, key: verb == "read" and key.endswith(f"{NONCE}.json")
    stage.order()
    stage.order(nonce="a-good-order", age_seconds=-1)
    stage.look()
    assert [argv[4] for argv in stage.began] == ["a-good-order"]


def test_whatever_breaks_in_a_program_is_told(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also what nobody thought of."""

    def broken(*_: object) -> None:
        raise RuntimeError("out of threads")

    monkeypatch.setattr(stage.desk, "_run", broken)
    stage.order()
    stage.look()
    stage.look()
    assert "out of threads" in stage.status().problem
    assert stage.journal.nonces() == []


def test_a_listing_that_breaks_is_said(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody could ask anything any more if the loop ended there."""

    def broken(**_: object) -> None:
        raise BucketError("no route")

    monkeypatch.setattr(stage.bucket, "listed", broken)
    stage.look()
    assert stage.said == ["the bucket: no route"]
