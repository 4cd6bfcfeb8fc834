"""The commands that the demonstration runs as processes of their own, and what is shown of them."""

from __future__ import annotations

import io
import os
import time
from pathlib import Path

from bedplate.errors import ExitCode
from bedplate.sandbox.demo.child_progress import ChildProgress
from bedplate.sandbox.demo.children import run_bedplate
from bedplate.validation.progress import PlainProgress

TOLD_BY_THE_CHILD = """\
12:00:00Z  Probe nodes (0/2)
12:00:01Z  Probe nodes (1/2): i-1
12:00:01Z  gave up on i-2 (1/3): no answer
12:00:02Z  Probe nodes (2/2): i-2: late (5.0 s)
12:00:02Z  Probe nodes: 2.1 s
Wrote out/report.html
"""


def test_the_phases_of_a_child_are_shown_as_our_own() -> None:
    """Phases, steps and notes stay what they are, and are counted once."""
    stream = io.StringIO()
    progress = PlainProgress(stream)
    child = ChildProgress(progress, title="Validate")
    for line in TOLD_BY_THE_CHILD.splitlines():
        child.hear(line)
    assert [line.partition("Z  ")[2] for line in stream.getvalue().splitlines()] == [
        "Validate: Probe nodes (0/2)",
        "Validate: Probe nodes (1/2): i-1",
        "gave up on i-2 (1/3): no answer",
        "Validate: Probe nodes (2/2): i-2: late (5.0 s)",
        "Wrote out/report.html",
    ]


def test_a_command_that_hangs_is_ended(tmp_path: Path) -> None:
    """A command beyond its limit ends as interrupted or by a signal, neither of which counts as done."""
    os.mkfifo(tmp_path / "nobody-writes.yaml")
    began = time.monotonic()
    status = run_bedplate(
        ["check", str(tmp_path / "nobody-writes.yaml")],
        environment={},
        cwd=tmp_path,
        log=tmp_path / "check.log",
        on_progress=lambda _: None,
        limit_s=1.0,
    )
    assert status == ExitCode.INTERRUPTED or status < 0
    assert time.monotonic() - began < 30


def test_all_is_kept_in_the_log_and_progress_told_as_it_comes(tmp_path: Path) -> None:
    """Why a command failed stands in the log that the error names; its exit code is returned."""
    heard: list[str] = []
    status = run_bedplate(
        ["check", "none.yaml"],
        environment={"NO_COLOR": "1"},
        cwd=tmp_path,
        log=tmp_path / "check.log",
        on_progress=heard.append,
    )
    assert status == 3
    assert heard[0].startswith("error[SPC-014]: none.yaml: there is no such file")
    assert (tmp_path / "check.log").read_text().splitlines() == heard
    status = run_bedplate(
        ["explain", "CLI-004"],
        environment={"NO_COLOR": "1"},
        cwd=tmp_path,
        log=tmp_path / "check.log",
        on_progress=heard.append,
    )
    assert status == 0
    assert (tmp_path / "check.log").read_text().startswith("CLI-004: ")
