"""A run of DCGM that finds another one under way is made again, within its deadline."""

from __future__ import annotations

from pathlib import Path

import pytest

from bedplate.node import dcgm_run
from bedplate.node.dcgm_run import BUSY, run_dcgmi_diag

SCRIPT = """#!/bin/sh
echo run >>"{log}"
[ "$(wc -l <"{log}")" -ge {ready} ] && echo done && exit 0
exit {busy}
"""


def _program(folder: Path, *, ready: int) -> tuple[tuple[str, ...], Path]:
    """A program that is busy until its run number ``ready``."""
    log, program = folder / "log", folder / "dcgmi"
    program.write_text(SCRIPT.format(log=log, ready=ready, busy=BUSY), encoding="utf-8")
    program.chmod(0o755)
    return (str(program), "diag"), log


def test_a_busy_dcgm_is_asked_again(tmp_path: Path) -> None:
    """Twice busy, then done: the last run counts, with a pause before each."""
    argv, log = _program(tmp_path, ready=3)
    pauses: list[float] = []
    run = run_dcgmi_diag(argv, deadline_seconds=1000.0, pause=pauses.append)
    assert (run.rc, run.stdout, log.read_text(encoding="utf-8").count("run")) == (0, "done\n", 3)
    assert pauses == [dcgm_run.PAUSE_SECONDS] * 2


def test_a_run_that_ended_is_not_made_again(tmp_path: Path) -> None:
    """Whatever its status, unless it was busy."""
    argv, log = _program(tmp_path, ready=1)
    assert run_dcgmi_diag(argv, deadline_seconds=1000.0, pause=pytest.fail).rc == 0
    assert log.read_text(encoding="utf-8").count("run") == 1


def test_no_time_is_left_for_another_try(tmp_path: Path) -> None:
    """The deadline covers all tries, so a busy DCGM stays busy at its end."""
    argv, log = _program(tmp_path, ready=99)
    run = run_dcgmi_diag(argv, deadline_seconds=dcgm_run.PAUSE_SECONDS, pause=pytest.fail)
    assert (run.rc, log.read_text(encoding="utf-8").count("run")) == (BUSY, 1)
