"""Attempts are bounded: by their pauses, by the budget, and by being told to end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bedplate.node.bootstrap.attempts import LONG_PAUSES, must, must_retry, retry
from bedplate.node.bootstrap.host import BUDGET_SECONDS
from bedplate.node.bootstrap.step import StepFailedError
from bedplate.node.process import STOP
from tests.node.bootstrap.hosts import Machine


@pytest.fixture
def _told_to_end() -> Iterator[None]:
    STOP.set()
    yield
    STOP.clear()


def test_pauses_grow_and_end(tmp_path: Path) -> None:
    """One attempt more than there are pauses, and the last one's words are the reason."""
    machine = Machine(tmp_path, {"x": (1, "no such host")})
    with pytest.raises(StepFailedError, match=r"^`x y`: status 1: no such host$"):
        must_retry(machine.host, "x", "y", seconds=1, pauses=(1.0, 2.0, 4.0))
    assert machine.waits == [1.0, 2.0, 4.0]
    assert len(machine.runner.calls) == 4


def test_long_pauses_fit_into_the_budget() -> None:
    """What another service may still be making is waited for, and PCS still hears of the node in time."""
    assert list(LONG_PAUSES) == sorted(LONG_PAUSES)
    assert sum(LONG_PAUSES) < BUDGET_SECONDS / 2


def test_nothing_is_tried_when_the_budget_is_used_up(tmp_path: Path) -> None:
    """A program is not even started then, and a wait does not go past the end."""
    machine = Machine(tmp_path, {"x": (1, "no")})
    machine.now = BUDGET_SECONDS - 3
    retry(machine.host, lambda: machine.host.run("x"), pauses=(60.0, 60.0))
    assert machine.waits == [3.0]
    assert machine.runner.calls == ["x"]
    with pytest.raises(StepFailedError, match="the time of the whole bootstrap is over"):
        must(machine.host, "x")


@pytest.mark.usefixtures("_told_to_end")
def test_a_bootstrap_that_is_told_to_end_waits_for_nothing(tmp_path: Path) -> None:
    """systemd would kill it before it had written its record."""
    machine = Machine(tmp_path, {"x": (1, "no")})
    retry(machine.host, lambda: machine.host.run("x"), pauses=(60.0,))
    assert machine.waits == []


def test_a_program_in_the_log_has_one_line(tmp_path: Path) -> None:
    """A whole program given as an argument is not written out; what was printed is."""
    machine = Machine(tmp_path, {"python3": (1, "OSError: read-only")})
    machine.host.run("python3", "-c", "import os\nos.abort()\n", "/fsx")
    log = machine.text("/var/log/bedplate-bootstrap.log").splitlines()
    assert log[0].endswith("$ python3 -c (a program) /fsx [status 1]")
    assert log[1] == "    OSError: read-only"


def test_files_are_written_whole_and_only_when_they_change(tmp_path: Path) -> None:
    """No part of a file is ever seen, its mode is set, and the same text again is no change."""
    machine = Machine(tmp_path)
    assert machine.host.write("/etc/x/y.conf", "a\n", mode=0o600)
    assert not machine.host.write("/etc/x/y.conf", "a\n")
    assert machine.host.write("/etc/x/y.conf", "b\n")
    assert [path.name for path in (tmp_path / "etc/x").iterdir()] == ["y.conf"]
    assert machine.host.names("/etc/x") == ["y.conf"]
    assert machine.host.names("/nowhere") == []
