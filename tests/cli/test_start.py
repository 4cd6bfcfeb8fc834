"""An interrupt in the first moments of the process, while the command line is still being imported."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from bedplate.cli import start
from bedplate.cli.main import run
from bedplate.errors import ExitCode

ROOT = Path(__file__).parents[2]
SCRIPT = """
import os, signal, sys
class Told:
    def find_spec(self, name, path=None, target=None):
        if name == "click":
            os.kill(os.getpid(), getattr(signal, os.environ["NUMBER"]))
            sys.stderr.write("went on")
sys.meta_path.insert(0, Told())
from bedplate.cli.start import main
main()
"""


def _interrupted(number: signal.Signals, action: signal.Handlers, *words: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *words],
        cwd=ROOT,
        env={**os.environ, "NUMBER": number.name},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=lambda: signal.signal(number, action),
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_while_modules_are_imported_is_130(number: signal.Signals) -> None:
    """One word and no traceback, though click was not there yet."""
    answer = _interrupted(number, signal.SIG_DFL, "--version")
    assert answer == (ExitCode.INTERRUPTED, "", "\nInterrupted.\n")


def test_a_lost_terminal_is_ignored_under_nohup() -> None:
    """What the caller has told the process to ignore stays ignored."""
    code, said, told = _interrupted(signal.SIGHUP, signal.SIG_IGN, "--version")
    assert (code, said.split()[0], told) == (ExitCode.OK, "bedplate", "went on")


def test_the_answer_in_json_is_the_one_of_later(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The text that stands ready is what the command line makes of an interrupt."""
    code, said, told = _interrupted(signal.SIGINT, signal.SIG_DFL, "check", "--json")
    assert (code, told) == (ExitCode.INTERRUPTED, "")

    def interrupted(**_more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("bedplate.cli.main.cli.main", interrupted)
    assert run(["check", "--json"]) == ExitCode.INTERRUPTED
    assert capsys.readouterr().out == said


def test_the_command_begins_there() -> None:
    """The installed command is this module's, and it knows the same exit code."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["scripts"] == {"bedplate": "bedplate.cli.start:main"}
    assert start._INTERRUPTED == ExitCode.INTERRUPTED
