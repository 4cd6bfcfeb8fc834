"""The whole story by the command that users type: deploy, break, validate, compare."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
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


def test_the_default_three_faults_are_named_and_nothing_else(tmp_path: Path) -> None:
    """The three faults are found and nobody else is blamed; the page and the result are marked SIMULATED."""
    output = tmp_path / "demo"
    process = _start(output, "default")
    told, progress = process.communicate(timeout=500)
    assert process.returncode == 0, told + progress
    injected = json.loads((output / "injected.json").read_text())
    assert sorted(fault["cause"] for fault in injected["faults"]) == [
        "efa-device-lost",
        "efa-device-slow",
        "xid-64",
    ]
    for fault in injected["faults"]:
        assert f"{fault['cause']} on {fault['subjects'][0]}" in told
    result = json.loads((output / "result.json").read_text())
    assert result["simulated"] is True
    assert result["complete"] is True
    assert "SIMULATED" in (output / "report.html").read_text()
    assert "SIMULATED" in (output / "junit.xml").read_text()
    assert not _servers_of(process.pid)


def test_the_validating_process_is_told_nothing_of_the_faults(tmp_path: Path) -> None:
    """Neither its arguments nor its environment name the stand-in's folder, where the faults are."""
    seen: list[str] = []
    output = tmp_path / "demo"
    process = _start(output, "10")
    assert process.stderr is not None
    for line in process.stderr:
        if "Probe nodes (0/" in line and not seen:
            seen += _validating_processes(output)
    told = process.stdout.read() if process.stdout else ""
    assert process.wait(500) == 0, told
    assert seen, "the validating process was not seen at work"
    for description in seen:
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
