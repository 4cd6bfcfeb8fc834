"""Asking by a desk: what is put, what is taken away, and what becomes of a desk that is silent."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bedplate.errors import AwsRefused
from bedplate.node.desk import keys
from bedplate.node.desk.status import Status
from bedplate.node.envelope import seal
from bedplate.validation.stores.folder import FolderStore
from bedplate.validation.transports.desk import DeskTransport
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.reply import Reply
from bedplate.validation.transports.sent_log import SentLog, load_sent_log
from tests.support.memory_bucket import MemoryBucket
from tests.validation.transports.test_ssm_transport import node

QUESTION = Question("probe", ("--deep",), deadline_seconds=100)


class Stage:
    """A bucket whose service has a clock that only waiting moves; ``meanwhile`` is what happens then."""

    def __init__(self) -> None:
        self.seconds = 0.0
        began = datetime(2026, 11, 30, tzinfo=UTC)
        self.bucket = MemoryBucket(lambda: began + timedelta(seconds=self.seconds))
        self.meanwhile: Callable[[], None] = lambda: None
        self.transport = DeskTransport(
            self.bucket.clients, "results", sleep=self._sleep, clock=lambda: self.seconds
        )
        for number in (1, 2):
            self.live(number)

    def live(self, number: int) -> None:
        """A sign of life."""
        self.bucket.put(keys.alive_key(node(number)), b"{}")

    def asked(self, number: int) -> str:
        """The nonce of the order that lies there; empty where there is none."""
        found = self.bucket.keys(keys.asked_folder(node(number)))
        return found[0].rpartition("/")[2].removesuffix(".json") if found else ""

    def take(self, number: int) -> str:
        """As its desk does."""
        nonce = self.asked(number)
        if nonce:
            self.bucket.remove(keys.asked_key(node(number), nonce))
        return nonce

    def answer(self, number: int, status: Status | None = None, *, text: str | None = None) -> None:
        """As its desk does, where it was asked."""
        nonce = self.take(number)
        if nonce:
            whole = seal(body={}, instance_id=node(number), nonce=nonce, command="probe")
            self.bucket.write(keys.answer_key(node(number), nonce), whole if text is None else text)
            told = (status or Status(True, 0)).to_json()
            self.bucket.write(keys.status_key(node(number), nonce), told)

    def ask(self, *numbers: int) -> dict[str, Reply]:
        """Ask these nodes."""
        return self.transport.ask(instance_ids=[node(number) for number in numbers], question=QUESTION)

    def _sleep(self, seconds: float) -> None:
        self.seconds += seconds
        self.meanwhile()


@pytest.fixture
def stage() -> Stage:
    """Two desks that live."""
    return Stage()


def test_the_order_says_what_and_for_how_long_and_is_gone_when_it_is_answered(stage: Stage) -> None:
    """What is left is what the node printed, and how it ended."""
    orders: list[dict] = []

    def meanwhile() -> None:
        if nonce := stage.asked(1):
            orders.append(json.loads(stage.bucket.text(keys.asked_key(node(1), nonce))))
        stage.answer(1)

    stage.meanwhile = meanwhile
    reply = stage.ask(1)[node(1)]
    assert orders == [{"schema": 1, "arguments": ["probe", "--deep"], "deadline_seconds": 100}]
    assert reply.answer is not None
    assert reply.location == f"s3://results/{keys.answer_key(node(1), reply.answer.nonce)}"
    assert [key.split("/")[2] for key in stage.bucket.keys(node(1))] == ["alive.json", "answers", "answers"]


@pytest.mark.parametrize(("age_seconds", "lives"), [(90, True), (91, False)])
def test_a_desk_lives_by_the_service_s_clock(stage: Stage, age_seconds: int, lives: bool) -> None:
    """Neither this machine's clock nor the node's is asked."""
    stage.bucket.put(keys.alive_key(node(1)), b"{}", age_seconds=age_seconds)
    assert stage.transport.online([node(1), node(3)]) == ({node(1)} if lives else set())


def test_a_silent_desk_is_not_asked_and_holds_up_nobody(stage: Stage) -> None:
    """Its reply says how long it has been silent; nothing is put for it."""
    stage.bucket.put(keys.alive_key(node(1)), b"{}", age_seconds=300)
    stage.meanwhile = lambda: stage.answer(2)
    replies = stage.ask(1, 2, 3)
    assert replies[node(1)].unreachable
    assert "its last sign of life is 300 s old" in replies[node(1)].problem
    assert "never given a sign of life" in replies[node(3)].problem
    assert replies[node(2)].answer is not None
    assert not stage.asked(1)
    assert stage.seconds < 5


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (Status(False, problem="the order is 9 s old"), "did not begin it: the order is 9 s old"),
        (Status(True, None, overran=True, problem="deadline"), "no answer within 100 s"),
        (Status(True, None, problem="it was cancelled"), "did not end by itself: it was cancelled"),
        (Status(True, 1, last_line="no identity"), "did not end well (exit status 1): no identity"),
    ],
)
def test_what_a_status_says_is_told(stage: Stage, status: Status, told: str) -> None:
    """An envelope beside it changes nothing."""
    stage.meanwhile = lambda: stage.answer(1, status)
    reply = stage.ask(1)[node(1)]
    assert reply.answer is None
    assert told in reply.problem
    assert not reply.unreachable


@pytest.mark.parametrize("spoil", ["status", "answer"])
def test_what_is_missing_or_spoiled_is_never_an_answer(stage: Stage, spoil: str) -> None:
    """A status that is none, or one whose answer is not there."""

    def meanwhile() -> None:
        nonce = stage.asked(1)
        stage.answer(1)
        if nonce and spoil == "status":
            stage.bucket.write(keys.status_key(node(1), nonce), "[]")
        elif nonce:
            stage.bucket.remove(keys.answer_key(node(1), nonce))

    stage.meanwhile = meanwhile
    reply = stage.ask(1)[node(1)]
    assert reply.answer is None
    assert ("status that its desk put cannot be read" if spoil == "status" else "empty") in reply.problem


def test_a_desk_that_is_lost_meanwhile_is_told_and_cancelled(stage: Stage) -> None:
    """After two looks a minute apart, and long before the deadline would have passed; the others go on."""
    question = Question("probe", deadline_seconds=3000)

    def meanwhile() -> None:
        stage.take(1)
        stage.live(2)
        if stage.seconds > 400:
            stage.answer(2)

    stage.meanwhile = meanwhile
    told: dict[str, float] = {}
    replies = stage.transport.ask(
        instance_ids=[node(1), node(2)],
        question=question,
        on_reply=lambda reply: told.setdefault(reply.instance_id, stage.seconds),
    )
    assert "its desk was lost while it worked" in replies[node(1)].problem
    assert told[node(1)] < 300
    assert replies[node(2)].answer is not None
    assert len(stage.bucket.keys("cancelled")) == 1


def test_an_order_that_nobody_takes_is_taken_back(stage: Stage) -> None:
    """A desk that lives and has its hands full: at the end the order is removed, so that it never begins."""
    stage.meanwhile = lambda: stage.live(1)
    reply = stage.ask(1)[node(1)]
    assert reply.problem == "no answer within 100 s"
    assert not stage.asked(1)
    assert 250 <= stage.seconds <= 260


def test_an_interruption_cancels_what_was_asked(stage: Stage) -> None:
    """Of those that still work; the order first, then the mark."""

    def meanwhile() -> None:
        stage.answer(2)
        if stage.seconds > 3:
            raise KeyboardInterrupt

    stage.meanwhile = meanwhile
    with pytest.raises(KeyboardInterrupt):
        stage.ask(1, 2)
    assert not stage.asked(1)
    assert [key.split("/")[1] for key in stage.bucket.keys("cancelled")] == [node(1)]


def test_where_aws_refuses_what_was_asked_is_cancelled_and_the_refusal_told(stage: Stage) -> None:
    """The first is there already when the second is denied."""
    stage.bucket.refuse = lambda verb, key: verb == "put" and key.startswith(keys.asked_folder(node(2)))
    with pytest.raises(AwsRefused, match="not allowed"):
        stage.ask(1, 2)
    assert not stage.asked(1)
    assert len(stage.bucket.keys(f"{node(1)}/cancelled")) == 1


def test_a_cancellation_that_fails_does_not_hide_what_went_wrong(stage: Stage) -> None:
    """An interruption stays one where the bucket is out of reach."""

    def meanwhile() -> None:
        stage.bucket.refuse = lambda _verb, _key: True
        raise KeyboardInterrupt

    stage.meanwhile = meanwhile
    with pytest.raises(KeyboardInterrupt):
        stage.ask(1)


LASTING = Question("probe", deadline_seconds=100, usable_seconds=3600)


def _resumed(stage: Stage, folder: Path) -> DeskTransport:
    """The transport of a run that goes on with the one before, whose process was killed."""
    log = load_sent_log(store=FolderStore(folder), run_id="run-1", resumed=True)
    return replace(stage.transport, sent_log=log)


def _killed(stage: Stage, folder: Path, *, when_asked: Callable[[], None]) -> None:
    """Ask node 1, and be killed meanwhile: nothing is cancelled."""

    class Killed(BaseException):
        pass

    def meanwhile() -> None:
        when_asked()
        stage.bucket.refuse = lambda _verb, _key: True
        raise Killed

    stage.meanwhile = meanwhile
    first = replace(stage.transport, sent_log=SentLog(FolderStore(folder), "run-1"))
    with pytest.raises(Killed):
        first.ask(instance_ids=[node(1)], question=LASTING)
    stage.bucket.refuse = lambda _verb, _key: False


def test_an_answer_that_nobody_was_there_to_read_is_taken_up(stage: Stage, tmp_path: Path) -> None:
    """It lies in the bucket; nothing is asked again."""
    _killed(stage, tmp_path, when_asked=lambda: stage.answer(1))
    stage.meanwhile = lambda: None
    reply = _resumed(stage, tmp_path).ask(instance_ids=[node(1)], question=LASTING)[node(1)]
    assert reply.answer is not None
    assert reply.taken_up
    assert not stage.asked(1)


def test_what_still_works_is_waited_for_and_not_asked_again(stage: Stage, tmp_path: Path) -> None:
    """The desk's sign of life says on what it works: a second load on its nodes would measure nothing."""
    taken: list[str] = []
    _killed(stage, tmp_path, when_asked=lambda: taken.append(stage.take(1)))
    alive = json.dumps({"schema": 1, "running": taken})
    stage.bucket.put(keys.alive_key(node(1)), alive.encode())

    def meanwhile() -> None:
        assert not stage.asked(1)
        stage.bucket.write(keys.asked_key(node(1), taken[0]), "")
        stage.answer(1)

    stage.meanwhile = meanwhile
    reply = _resumed(stage, tmp_path).ask(instance_ids=[node(1)], question=LASTING)[node(1)]
    assert reply.answer is not None
    assert reply.answer.nonce == taken[0]


@pytest.mark.parametrize("alive", [b"{}", b"[]", b"\xff", b'{"running": 3}', b'{"running": [3]}'])
def test_what_was_cut_off_is_asked_again(stage: Stage, tmp_path: Path, alive: bytes) -> None:
    """No answer, and no desk that works on it, whatever its sign of life holds."""
    taken: list[str] = []
    _killed(stage, tmp_path, when_asked=lambda: taken.append(stage.take(1)))
    stage.bucket.put(keys.alive_key(node(1)), alive)
    stage.meanwhile = lambda: stage.answer(1)
    reply = _resumed(stage, tmp_path).ask(instance_ids=[node(1)], question=LASTING)[node(1)]
    assert reply.answer is not None
    assert reply.answer.nonce != taken[0]
    assert not reply.taken_up
