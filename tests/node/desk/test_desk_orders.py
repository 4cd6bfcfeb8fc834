"""What a desk makes of an order: run once, refused, or run never, and told in any case."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from bedplate.node.bootstrap.places import PROGRAM
from bedplate.node.commands import COMMANDS, OWN_COMMANDS
from bedplate.node.desk import keys
from bedplate.node.desk.desk import MOST_AT_ONCE
from bedplate.node.desk.order import MOST_ORDER_BYTES, Order
from bedplate.node.desk.status import Status, read_status
from bedplate.node.process import Limits, run_tool
from tests.node.desk.stage import ME, NONCE, Later, Stage, ended


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """A desk that has nothing to do."""
    return Stage(tmp_path)


def test_an_order_runs_the_program_with_its_nonce_and_its_answer_lies_before_its_status(
    stage: Stage,
) -> None:
    """The status says that the answer is whole, so it comes last; the order is gone before it begins."""
    written: list[str] = []
    stage.bucket.refuse = lambda verb, key: verb == "write" and bool(written.append(key))
    stage.order({"schema": 1, "arguments": ["exercise", "--settings", "e30="], "deadline_seconds": 60})
    stage.program = ended("the answer", stderr="warning: late\n")
    pool = Later()
    stage.look(pool)
    assert stage.bucket.keys("asked") == []
    pool.go_on()
    assert stage.began == [
        ("python3", "node.pyz", "exercise", "--nonce", NONCE, "--settings", "e30="),
    ]
    assert written[-2:] == [keys.answer_key(ME, NONCE), keys.status_key(ME, NONCE)]
    assert stage.bucket.text(keys.answer_key(ME, NONCE)) == "the answer"
    assert stage.status() == Status(begun=True, exit_status=0, last_line="warning: late")
    assert stage.journal.nonces() == []


def test_how_a_program_ended_is_told(stage: Stage) -> None:
    """Its exit status and last word, or that it overran."""
    stage.order()
    stage.program = ended(rc=1, stderr="Traceback\nbedplate-node: probe: no identity\n")
    stage.look()
    assert stage.status() == Status(True, 1, last_line="bedplate-node: probe: no identity")
    stage.order(nonce="another-order")
    stage.program = ended(rc=None, stderr="x\nbedplate: deadline\n", problem="deadline of 60 s passed")
    stage.look()
    assert stage.status("another-order") == Status(
        True, None, overran=True, last_line="x", problem="deadline of 60 s passed"
    )


def test_an_order_that_is_older_than_its_deadline_is_never_begun(stage: Stage) -> None:
    """By the service's clock alone, at whatever moment the desk looks."""
    stage.look()
    stage.order(age_seconds=40)
    stage.seconds += 25
    stage.look()
    assert stage.began == []
    assert not stage.status().begun
    assert "the order is 65 s old and was for 60 s" in stage.status().problem
    assert stage.bucket.keys("asked") == []


def test_an_order_of_another_time_zone_s_clock_is_not_judged_by_this_node_s(stage: Stage) -> None:
    """The node's own date is never asked: an order that is young by the service's clock is begun."""
    stage.order(age_seconds=59)
    stage.look()
    assert len(stage.began) == 1


_GOOD: dict[str, Any] = {"schema": 1, "arguments": ["probe"], "deadline_seconds": 60}


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"", "no JSON"),
        (b"{", "no JSON"),
        (b"[" * 20_000, "no JSON"),
        (b"\xff\xfe", "no JSON"),
        (b"[]", "no object of schema, arguments and deadline_seconds"),
        ({**_GOOD, "shell": True}, "no object of"),
        ({"schema": 1, "arguments": ["probe"]}, "no object of"),
        ({**_GOOD, "schema": 2}, "has schema 2; this desk reads 1"),
        ({**_GOOD, "schema": True}, "has schema True"),
        ({**_GOOD, "arguments": "probe"}, "no list of 1 to 256 words"),
        ({**_GOOD, "arguments": []}, "no list of 1 to 256 words"),
        ({**_GOOD, "arguments": ["probe"] * 257}, "no list of 1 to 256 words"),
        ({**_GOOD, "arguments": ["probe", 1]}, "no text"),
        ({**_GOOD, "arguments": ["probe", "a\0b"]}, "no text"),
        ({**_GOOD, "arguments": ["probe", "\ud800"]}, "no text"),
        ({**_GOOD, "arguments": ["/bin/sh", "-c", "reboot"]}, "'/bin/sh' is no command that a desk runs"),
        *(({**_GOOD, "arguments": [own]}, f"'{own}' is no command") for own in sorted(OWN_COMMANDS)),
        ({**_GOOD, "deadline_seconds": "60"}, "a number of seconds is allowed"),
        ({**_GOOD, "deadline_seconds": True}, "a number of seconds is allowed"),
        ({**_GOOD, "deadline_seconds": 0}, "more than 0 and at most 86400"),
        ({**_GOOD, "deadline_seconds": 86401}, "more than 0 and at most 86400"),
        (b'{"schema": 1, "arguments": ["probe"], "deadline_seconds": NaN}', "more than 0"),
        (b"x" * (MOST_ORDER_BYTES + 1), f"at most {MOST_ORDER_BYTES} are allowed"),
    ],
)
def test_what_is_no_order_is_refused_in_words_and_the_next_one_runs(
    stage: Stage, body: object, told: str
) -> None:
    """Nothing of it runs, it is taken away, and the desk goes on."""
    stage.order(body)
    stage.order(nonce="a-good-order", age_seconds=-1)
    stage.look()
    status = stage.status()
    assert (status.begun, status.exit_status) == (False, None)
    assert told in status.problem
    assert stage.bucket.keys("asked") == []
    assert [argv[4] for argv in stage.began] == ["a-good-order"]


@pytest.mark.parametrize(
    "name", ["short.json", "no-ending-at-all", "..%2F..%2Fx.json", "dir/abcdefgh12.json"]
)
def test_a_name_that_is_no_nonce_is_taken_away_and_said(stage: Stage, name: str) -> None:
    """Its refusal would have no place that is its own."""
    stage.bucket.put(f"{keys.asked_folder(ME)}{name}", b"{}")
    stage.look()
    assert stage.began == []
    assert stage.bucket.keys(ME) == [keys.alive_key(ME)]
    assert any("is no name of an order" in line for line in stage.said)


def test_every_command_that_answers_may_be_asked(stage: Stage) -> None:
    """The desk's list is the program's own."""
    for number, command in enumerate(COMMANDS):
        stage.order({**_GOOD, "arguments": [command]}, nonce=f"a-nonce-{number}")
        stage.look()
    assert [argv[2] for argv in stage.began] == list(COMMANDS)


def test_more_orders_than_run_at_once_wait_in_the_bucket(stage: Stage) -> None:
    """The oldest first; the others are taken when one has ended."""
    for number in range(MOST_AT_ONCE + 2):
        stage.order(nonce=f"a-nonce-{number}", age_seconds=30 - number)
    pool = Later()
    stage.look(pool)
    assert len(pool.waiting) == MOST_AT_ONCE
    assert len(stage.bucket.keys("asked")) == 2
    pool.go_on()
    stage.look(pool)
    pool.go_on()
    assert [argv[4] for argv in stage.began] == [f"a-nonce-{number}" for number in range(MOST_AT_ONCE + 2)]


def test_no_shell_reads_what_is_asked(tmp_path: Path) -> None:
    """Words reach the program as they are, whatever they hold."""
    words = ("; touch pwned", "$(touch pwned)", "`touch pwned`", "a b", "--nonce", "*", "\n")
    show = (sys.executable, "-c", "import sys, json; print(json.dumps(sys.argv[1:]))")
    order = Order(("probe", *words), 30.0)
    ran = run_tool(argv=order.argv(show, NONCE), limits=Limits(30.0))
    assert json.loads(ran.stdout) == ["probe", "--nonce", NONCE, *words]
    assert not (tmp_path / "pwned").exists()
    assert not Path("pwned").exists()


def test_an_answer_without_end_is_cut_and_its_status_says_so(stage: Stage) -> None:
    """As for every tool: what is too long is stopped, and has no exit status."""
    stage.order()
    flood = [sys.executable, "-c", "while True: print('x' * 1000)"]
    stage.program = run_tool(argv=flood, limits=Limits(20.0, output_bytes=100_000))
    stage.look()
    assert len(stage.bucket.text(keys.answer_key(ME, NONCE))) == 100_000
    assert stage.status().exit_status is None
    assert "printed more than 100000 bytes" in stage.status().problem


def test_a_status_that_is_none_is_refused() -> None:
    """Fields of another kind, or of another schema."""
    whole = Status(True, 0, last_line="x")
    assert read_status(whole.to_json().encode()) == whole
    for data in (
        b"",
        b"[]",
        b"{}",
        whole.to_json().replace('"exit_status": 0', '"exit_status": "0"').encode(),
    ):
        with pytest.raises(ValueError, match=r".*"):
            read_status(data)


def test_the_desk_s_program_is_the_node_s_own() -> None:
    """Where the bootstrap has compared its digest."""
    assert PROGRAM == "/opt/bedplate/bedplate-node.pyz"
