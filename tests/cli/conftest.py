"""What the tests of the command line stand on."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bedplate.cli import main

ROOT = Path(__file__).parents[2]
Bedplate = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def bedplate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Bedplate:
    """Run ``bedplate`` in this process, which is fast; the answer is that of ``subprocess.run``."""

    def run(*arguments: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
        monkeypatch.chdir(cwd)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        code = main.run(arguments)
        shown = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, code, shown.out, shown.err)

    return run


@pytest.fixture
def bedplate_process() -> Bedplate:
    """Run ``bedplate`` as a process of its own, without a terminal: ``bedplate("check", cwd=…)``."""

    def run(*arguments: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "bedplate.cli.main", *arguments],
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run
