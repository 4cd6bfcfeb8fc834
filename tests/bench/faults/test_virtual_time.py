"""The clock that does not wait, and programs in turns, leave the process as they found it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import redirect_stdout
from io import StringIO
from typing import Any
from unittest import mock

from tests.bench.faults.virtual_time import VirtualTime


def _as(name: str) -> Any:
    raw: Any = os.environ
    return mock.patch.object(raw, "_data", {**raw._data, b"PLAYED": name.encode()})


def _child_sees() -> str:
    code = "import os; print(os.environ.get('PLAYED', 'nothing'))"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def _wait(seen: list[str], turns: int) -> None:
    with _as("server"), redirect_stdout(StringIO()):
        for _ in range(turns):
            time.sleep(1)
            seen.append(os.environ["PLAYED"])


def test_programs_in_turns_each_see_their_own_environment() -> None:
    """A server and a client that sleep in turns keep their own environments."""
    clock, seen = VirtualTime(), []
    with clock.instead_of_time(), _as("client"):
        server = clock.start(lambda: _wait(seen, 2))
        for _ in range(4):
            time.sleep(1)
            seen.append(os.environ["PLAYED"])
        server.result()
    assert sorted(seen) == ["client"] * 4 + ["server"] * 2


def test_a_program_that_nobody_waited_for_leaves_nothing_behind() -> None:
    """What was left asleep is ended with the clock; no child sees its environment, now or later."""
    before, out = dict(os.environ), sys.stdout
    clock, seen = VirtualTime(), []
    with clock.instead_of_time(), _as("client"):
        left = clock.start(lambda: _wait(seen, 1000))
        time.sleep(1)
        assert not left.done()
    assert left.done()
    assert (dict(os.environ), sys.stdout) == (before, out)
    assert _child_sees() == "nothing\n"


def test_slept_time_passes_and_waiting_for_the_machine_does_not() -> None:
    """An hour's sleep takes no time; what the machine does meanwhile is not counted."""
    clock, sleep = VirtualTime(), time.sleep
    with clock.instead_of_time():
        begun = time.monotonic()
        time.sleep(3600)
        slept = time.monotonic() - begun
        sleep(0.3)
        waited = time.monotonic() - begun - slept
    assert 3600 <= slept < 3601
    assert waited < 0.2
