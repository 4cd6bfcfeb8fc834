"""The whole story by the command that users type: deploy, break, validate, compare."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def _start(output: Path, seed: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "bedplate.cli.main", "demo", "--seed", seed, "--output", str(output)],
        cwd=REPOSITORY,
        env={**os.environ, "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _running() -> dict[int, list[str]]:
    """Process id → arguments of everything that runs."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            found[int(process.name)] = (process / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
    return found


def _servers_of(demo: int) -> list[int]:
    """The stand-ins that a demonstration started."""
    return [
        pid
        for pid, arguments in _running().items()
        if "bedplate.sandbox.server" in arguments and ("--parent", str(demo)) in pairwise(arguments)
    ]


@dataclass(frozen=True)
class Told:
    """A demonstration that has ended: where, what it said, and what its validating processes were told."""

    output: Path
    demo: int
    text: str
    validating: list[str]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """The default demonstration, played once and looked at while it probes."""
    output = tmp_path_factory.mktemp("told") / "demo"
    process = _start(output, "default")
    assert process.stderr is not None
    seen: list[str] = []
    progress = []
    for line in process.stderr:
        progress.append(line)
        if "Probe nodes (0/" in line and not seen:
            seen += _validating_processes(output)
    text = process.stdout.read() if process.stdout else ""
    assert process.wait(500) == 0, text + "".join(progress)
    return Told(output, process.pid, text, seen)


def test_the_default_three_faults_are_named_and_nothing_else(told: Told) -> None:
    """The three faults are found and nobody else is blamed; the page and the result are marked SIMULATED."""
    injected = json.loads((told.output / "injected.json").read_text())
    assert sorted(fault["cause"] for fault in injected["faults"]) == [
        "efa-device-lost",
        "efa-device-slow",
        "xid-64",
    ]
    for fault in injected["faults"]:
        assert f"{fault['cause']} on {fault['subjects'][0]}" in told.text
    result = json.loads((told.output / "result.json").read_text())
    assert result["simulated"] is True
    assert result["complete"] is True
    assert "SIMULATED" in (told.output / "report.html").read_text()
    assert "SIMULATED" in (told.output / "junit.xml").read_text()
    assert not _servers_of(told.demo)


def test_the_validating_process_is_told_nothing_of_the_faults(told: Told) -> None:
    """Neither its arguments nor its environment name the stand-in's folder, where the faults are."""
    assert told.validating, "the validating process was not seen at work"
    for description in told.validating:
        assert "bedplate-sandbox-" not in description
        assert "faults.json" not in description


def _validating_processes(output: Path) -> list[str]:
    """Arguments and environment of the processes that validate into this folder."""
    return [
        " ".join(arguments) + (Path("/proc") / str(pid) / "environ").read_bytes().decode(errors="replace")
        for pid, arguments in _running().items()
        if "validate" in arguments and str(output) in arguments
    ]


def test_a_stand_in_that_dies_during_validation_is_never_a_pass(tmp_path: Path) -> None:
    """The command ends with a clear error and a status that is not 0, and no result counts as passed."""
    output = tmp_path / "demo"
    process = _start(output, "1")
    assert process.stderr is not None
    progress = []
    for line in process.stderr:
        progress.append(line)
        if "Exercise nodes (0/" in line:
            for server in _servers_of(process.pid):
                os.kill(server, signal.SIGKILL)
    told = process.stdout.read() if process.stdout else ""
    assert process.wait(300) not in (0, None), told
    text = "".join(progress)
    assert "DEM-005" in text
    assert "Traceback" not in text + told
    assert "equals what was injected" not in told
    result_file = output / "result.json"
    if result_file.exists():
        assert json.loads(result_file.read_text())["complete"] is False
        page = (output / "report.html").read_text()
        assert "Hand it over" not in page
