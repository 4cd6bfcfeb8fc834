"""The local way: child processes that leave nothing behind, and the real node program."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bedplate.validation.transports.local import LocalNode, LocalTransport
from bedplate.validation.transports.question import Question
from tests.validation.transports.test_ssm_transport import node


def script(folder: Path, text: str) -> LocalNode:
    """A node whose program is this text."""
    path = folder / "program.py"
    path.write_text(text)
    return LocalNode(program=(sys.executable, str(path)))


def alive(pid: int) -> bool:
    """Whether a process runs, zombies not counted."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def gone(pid: int) -> bool:
    """Whether a process ends within half a minute."""
    end = time.monotonic() + 30
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not alive(pid)


LEAVES_A_CHILD = """
import pathlib, subprocess, sys, time
child = subprocess.Popen(["sleep", "300"])
pathlib.Path({pid!r}).write_text(str(child.pid))
{then}
"""


@pytest.mark.parametrize("then", ["time.sleep(300)", "sys.exit(0)"])
def test_what_a_program_started_ends_with_it(tmp_path: Path, then: str) -> None:
    """At its deadline as at its own end: no load is left for the next round."""
    pid = tmp_path / "pid"
    program = script(tmp_path, LEAVES_A_CHILD.format(pid=str(pid), then=then))
    transport = LocalTransport({node(1): program}, tmp_path / "out")
    reply = transport.ask(instance_ids=[node(1)], question=Question("probe", deadline_seconds=2))[node(1)]
    assert reply.answer is None
    assert gone(int(pid.read_text()))


@pytest.fixture
def _interruptible() -> Iterator[None]:
    """A job in a shell's background is started with SIGINT ignored, as this process may have been."""
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, old)


@pytest.mark.usefixtures("_interruptible")
def test_an_interruption_ends_every_program(tmp_path: Path) -> None:
    """Ctrl-C while nodes work: what was started is ended before the call returns."""
    pid = tmp_path / "pid"
    program = script(tmp_path, LEAVES_A_CHILD.format(pid=str(pid), then="time.sleep(300)"))
    transport = LocalTransport({node(1): program}, tmp_path / "out")

    def interrupt() -> None:
        while not (pid.exists() and pid.read_text()):
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        transport.ask(instance_ids=[node(1)], question=Question("probe", deadline_seconds=120))
    assert time.monotonic() - began < 30
    assert gone(int(pid.read_text()))


def test_a_program_that_is_not_there_is_unreachable(tmp_path: Path) -> None:
    """In words, and no traceback."""
    transport = LocalTransport({node(1): LocalNode(program=("/no/such/program",))}, tmp_path)
    reply = transport.ask(instance_ids=[node(1)], question=Question("probe"))[node(1)]
    assert reply.unreachable
    assert "cannot be started" in reply.problem


def test_no_more_programs_run_at_once_than_are_allowed(tmp_path: Path) -> None:
    """A laptop that plays hundreds of nodes is not drowned."""
    text = (
        "import pathlib, time\n"
        f"folder = pathlib.Path({str(tmp_path / 'running')!r})\n"
        "mine = folder / str(time.monotonic_ns())\n"
        "mine.touch()\n"
        "print(len(list(folder.iterdir())))\n"
        "time.sleep(0.2)\n"
        "mine.unlink()\n"
    )
    (tmp_path / "running").mkdir()
    program = script(tmp_path, text)
    nodes = {node(number): program for number in range(6)}
    transport = LocalTransport(nodes, tmp_path / "out", at_once=2)
    replies = transport.ask(instance_ids=list(nodes), question=Question("probe"))
    seen = [int(Path(reply.location).read_text()) for reply in replies.values()]
    assert max(seen) <= 2


def test_the_real_node_program_answers(tmp_path: Path) -> None:
    """As on a node, with a tree of its own; what it has no tools for stands in the answer as such."""
    own = "i-0123456789abcdef0"
    identity = tmp_path / "var/lib/cloud/data/instance-id"
    identity.parent.mkdir(parents=True)
    identity.write_text(own)
    there = LocalNode(environment={"BEDPLATE_ROOT": str(tmp_path), "BEDPLATE_SIMULATED": "1"})
    transport = LocalTransport({own: there}, tmp_path / "out")
    reply = transport.ask(instance_ids=[own], question=Question("scheduler"))[own]
    assert reply.answer is not None
    assert reply.answer.simulated
    assert {run["tool"] for run in reply.answer.body["tools"]} == {"scontrol", "sinfo"}
