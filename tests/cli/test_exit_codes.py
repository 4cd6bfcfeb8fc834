"""The edge of the command line: every failure ends as one message and the right exit code."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from bedplate.cli import main
from bedplate.errors import (
    AwsRefused,
    BedplateError,
    ChecksFailed,
    DataWouldBeLost,
    ExitCode,
    SpecRefused,
    UsageError,
)

Bedplate = Callable[..., "subprocess.CompletedProcess[str]"]
ROOT = Path(__file__).parents[2]


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    """Make ``bedplate check`` raise what it is told to."""

    def arrange(error: BaseException) -> None:
        @click.command()
        def command() -> None:
            raise error

        monkeypatch.setattr(main.LazyGroup, "get_command", lambda *_: command)

    return arrange


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (BedplateError, 1),
        (UsageError, 2),
        (SpecRefused, 3),
        (ChecksFailed, 4),
        (AwsRefused, 5),
        (DataWouldBeLost, 6),
    ],
)
def test_each_error_has_its_code(
    kind: type[BedplateError],
    code: int,
    failing: Callable[[BaseException], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An error of the tree is shown with id, message, remedy and where to read more."""
    failing(kind("the disk is full", error_id="XYZ-001", remedy="Make room."))
    assert main.run(["check"]) == code
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.splitlines() == [
        "error[XYZ-001]: the disk is full",
        "  to mend: Make room.",
        "  more: bedplate explain XYZ-001",
    ]


def test_unforeseen_errors_show_no_traceback(
    failing: Callable[[BaseException], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """What nobody foresaw is said to be a mistake, with how to see more."""
    failing(ZeroDivisionError("division by zero"))
    assert main.run(["check"]) == ExitCode.FAILED
    shown = capsys.readouterr().err
    assert "error[CLI-001]: this should not have happened: ZeroDivisionError: division by zero" in shown
    assert "Run `bedplate --debug check` and report the traceback." in shown
    assert "Traceback" not in shown


def test_debug_shows_the_traceback(
    failing: Callable[[BaseException], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """With --debug the traceback comes first, and the exit code stays."""
    failing(SpecRefused("no", error_id="SPC-014", remedy="Yes."))
    assert main.run(["--debug", "check"]) == ExitCode.SPEC_REFUSED
    shown = capsys.readouterr().err
    assert shown.startswith("Traceback")
    assert "error[SPC-014]: no" in shown


@pytest.mark.parametrize("error", [KeyboardInterrupt(), click.Abort()])
def test_an_interrupt_is_130(
    error: BaseException, failing: Callable[[BaseException], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C ends with 130 and one word."""
    failing(error)
    assert main.run(["check"]) == ExitCode.INTERRUPTED
    assert capsys.readouterr().err.strip() == "Interrupted."


@pytest.fixture
def _stdout_kept() -> Iterator[None]:
    """Put standard output back after a test in which it is given up."""
    kept = sys.stdout
    yield
    sys.stdout = kept


@pytest.mark.usefixtures("_stdout_kept")
def test_a_reader_who_leaves_is_no_mistake(
    failing: Callable[[BaseException], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """``bedplate … | head`` ends without a word of complaint."""
    failing(BrokenPipeError())
    assert main.run(["check"]) == ExitCode.FAILED
    assert capsys.readouterr().err == ""


def test_unknown_commands_get_close_names(bedplate: Bedplate) -> None:
    """A misspelt command is a usage error that names what was probably meant."""
    done = bedplate("chekc")
    assert done.returncode == 2
    assert "There is no command 'chekc'. Did you mean check?" in done.stderr


def test_no_command_shows_help(bedplate: Bedplate) -> None:
    """``bedplate`` alone shows the help, once, and is a usage error."""
    done = bedplate()
    assert done.returncode == 2
    assert done.stderr.startswith("Usage: bedplate")
    assert done.stderr.count("Usage:") == 1
    assert "error" not in done.stderr.splitlines()[-1]


def test_unknown_options_are_a_usage_error(bedplate: Bedplate) -> None:
    """So is an option that there is not."""
    done = bedplate("check", "--jsno")
    assert done.returncode == 2
    assert "--json" in done.stderr


def test_help_lists_what_can_be_called() -> None:
    """Every command that help lists can be imported, and stands in the table."""
    context = click.Context(main.cli)
    listed = main.cli.list_commands(context)
    assert {"init", "check", "schema", "expand", "explain"} <= set(listed)
    for name in listed:
        command = main.cli.get_command(context, name)
        assert command is not None
        assert name in main.COMMANDS


def test_colour_follows_the_terminal_and_no_color(bedplate: Bedplate) -> None:
    """Without a terminal there is no escape code; with NO_COLOR there is none in any case."""
    for environment in ({}, {"NO_COLOR": "1"}):
        assert "\x1b" not in bedplate("check", "tests/spec/broken/wrong-type.yaml", **environment).stderr


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_no_color_holds_for_what_commands_print(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], no_color: str, coloured: bool
) -> None:
    """On a terminal a command's own styles are there, unless NO_COLOR asks for none."""

    @click.command()
    def command() -> None:
        click.echo(click.style("SIMULATED", fg="yellow"))

    monkeypatch.setattr(main.LazyGroup, "get_command", lambda *_: command)
    monkeypatch.setattr("click._compat.isatty", lambda _: True)
    monkeypatch.setenv("NO_COLOR", no_color)
    assert main.run(["check"]) == ExitCode.OK
    assert ("\x1b" in capsys.readouterr().out) is coloured


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_json_that_finds_no_room_is_told_in_words() -> None:
    """Standard output that takes nothing ends as an error without a traceback, for the error's JSON too."""
    for command in (["explain", "--json"], ["report", "nosuch.json", "--json"]):
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                [sys.executable, "-m", "bedplate.cli.main", *command],
                cwd=ROOT,
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert done.returncode == ExitCode.FAILED
        assert done.stderr.startswith("error[")
        assert "Traceback" not in done.stderr


def test_what_the_system_refuses_is_no_mistake_of_bedplate(
    failing: Callable[[BaseException], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """A full disk, and a folder that may not be written, are said so, with the file and what to do."""
    failing(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/mnt/report.html"))
    assert main.run(["check"]) == ExitCode.FAILED
    shown = capsys.readouterr().err
    assert "error[CLI-004]: /mnt/report.html: no space left on device" in shown
    assert "to mend: Choose a place that can be written" in shown


def test_a_broken_connection_is_not_taken_for_a_full_disk(
    failing: Callable[[BaseException], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """Errors of sockets, which are OSErrors too, stay what nobody foresaw."""
    failing(ConnectionResetError(errno.ECONNRESET, "reset"))
    assert main.run(["check"]) == ExitCode.FAILED
    assert "error[CLI-001]" in capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_being_told_to_end_is_an_interrupt(number: signal.Signals, tmp_path: Path) -> None:
    """Ctrl-C, a kill and a lost terminal all end with 130, so that what was started is stopped."""
    os.mkfifo(tmp_path / "nobody-writes.yaml")
    process = subprocess.Popen(
        [sys.executable, "-m", "bedplate.cli.main", "check", "nobody-writes.yaml"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever started the tests in the background may ignore these, and that is inherited.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    )
    # It has the pipe open, so its handlers are set, once we can open the other end without waiting.
    writer = _opened(tmp_path / "nobody-writes.yaml")
    try:
        told = _told_after(process, number)
    finally:
        process.kill()
        os.close(writer)
    assert process.returncode == ExitCode.INTERRUPTED
    assert told.strip() == "Interrupted."


def _told_after(process: subprocess.Popen[str], number: signal.Signals) -> str:
    """What it says when signalled. One that comes just before a read begins is seen at the next one only."""
    for _ in range(6):
        time.sleep(0.3)
        process.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=10)[1]
    raise AssertionError(f"it went on after six of {number.name}")


def _opened(pipe: Path) -> int:
    deadline = time.monotonic() + 60
    while True:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.05)
