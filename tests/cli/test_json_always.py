"""With ``--json`` standard output is JSON, whatever a command comes to."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from bedplate.cli import main
from bedplate.errors import ExitCode

Bedplate = Callable[..., "subprocess.CompletedProcess[str]"]
BAD = "tests/spec/broken/wrong-type.yaml"
NO_AWS = {
    "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
    "AWS_ACCESS_KEY_ID": "none",
    "AWS_SECRET_ACCESS_KEY": "none",
    "AWS_MAX_ATTEMPTS": "1",
}
"""Surroundings in which nothing answers for AWS: loopback's port for discarding is not listened on."""


@pytest.mark.parametrize(
    "command",
    [
        ("check",),
        ("expand",),
        *[(c, "-e") for c in ("lock", "preflight", "validate", "act", "undo")],
        ("support-bundle", "i-0123456789abcdef0", "-e"),
        ("job", "nccl-tests", "-e"),
        ("job", "fsdp2", "--script", "train.py", "-e"),
        ("baseline", "show", "-e"),
        ("baseline", "forget", "-e"),
        ("baseline", "accept", "--run", "any", "--because", "bought", "-e"),
    ],
)
def test_refused_files_have_one_shape(command: tuple[str, ...], bedplate: Bedplate) -> None:
    """Each command that reads an environment tells all problems of a bad one, as check does."""
    done = bedplate(*command, BAD, "--json")
    answer = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (3, "")
    assert (answer["file"], answer["valid"]) == (BAD, False)
    assert [(problem["id"], problem["line"]) for problem in answer["problems"]] == [("CAP-001", 13)]


@pytest.mark.parametrize("command", ["check", "expand", "lock", "preflight", "validate", "act", "undo"])
def test_files_that_are_not_there_have_it_too(command: str, bedplate: Bedplate) -> None:
    """A name without a file is told in the same shape, by the name that was given."""
    done = bedplate(command, "--json", "-e", "nobody")
    answer = json.loads(done.stdout)
    assert done.returncode == 3
    assert (answer["file"], answer["valid"]) == ("nobody", False)
    assert [problem["id"] for problem in answer["problems"]] == ["SPC-014"]


@pytest.mark.parametrize(
    ("arguments", "code", "error_id"),
    [
        (("explain", "XXX-999", "--json"), 2, "CLI-002"),
        (("report", "nosuch.json", "--json"), 1, "RES-001"),
        (("check", "--bogus", "--json"), 2, "CLI-005"),
        (("check", "--json"), 2, "CLI-005"),
        (("chekc", "--json"), 2, "CLI-005"),
        (("lock", "--json"), 2, "CLI-005"),
        (("sandbox", "up", "--port", "x", "--json"), 2, "CLI-005"),
        (("explain", "--json=yes"), 2, "CLI-005"),
        (("--json",), 2, "CLI-005"),
        (("report", "a\udcff.json", "--json"), 1, "RES-001"),
    ],
)
def test_other_errors_have_one_shape(
    arguments: tuple[str, ...], code: int, error_id: str, bedplate: Bedplate
) -> None:
    """What is no matter of the environment file is one error, with an id that can be explained."""
    done = bedplate(*arguments)
    (error,) = json.loads(done.stdout).values()
    assert list(error) == ["id", "message", "remedy", "exit_code"]
    assert (done.returncode, error["exit_code"], error["id"]) == (code, code, error_id)
    assert error["message"]
    assert error["remedy"]
    assert done.stderr == ""
    assert bedplate("explain", error_id).returncode == 0


@pytest.mark.parametrize("command", ["lock", "preflight", "validate", "act", "undo"])
def test_aws_out_of_reach(command: str, bedplate: Bedplate) -> None:
    """Commands that ask AWS, and hear nothing, end with 5 and with JSON."""
    done = bedplate(command, "-e", "demo", "--json", **NO_AWS)
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["exit_code"], error["id"]) == (5, 5, "AWS-001")


@pytest.mark.parametrize(
    ("raised", "code", "error_id"),
    [
        (ZeroDivisionError("division by zero"), ExitCode.FAILED, "CLI-001"),
        (PermissionError(13, "Permission denied", "/out"), ExitCode.FAILED, "CLI-004"),
        (click.FileError("/out", "no"), ExitCode.FAILED, "CLI-004"),
        (KeyboardInterrupt(), ExitCode.INTERRUPTED, "CLI-006"),
    ],
)
def test_what_nobody_raises_on_purpose(
    raised: BaseException,
    code: int,
    error_id: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Mistakes, refusals of the system and interrupts are JSON as well."""

    @click.command()
    @click.option("--json", "as_json", is_flag=True)
    def command(as_json: bool) -> None:
        assert as_json
        raise raised

    monkeypatch.setattr(main.LazyGroup, "get_command", lambda *_: command)
    assert main.run(["check", "--json"]) == code
    shown = capsys.readouterr()
    assert json.loads(shown.out)["error"]["id"] == error_id
    assert shown.err.strip() == ""


def test_debug_leaves_standard_output_alone(bedplate: Bedplate) -> None:
    """With --debug the traceback is on standard error, and standard output is JSON still."""
    done = bedplate("--debug", "expand", BAD, "--json")
    assert "Traceback" in done.stderr
    assert json.loads(done.stdout)["valid"] is False


def test_after_two_hyphens_json_is_a_name(bedplate: Bedplate, tmp_path: Path) -> None:
    """A file that is called --json asks for nothing."""
    done = bedplate("expand", "--", "--json", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("error[SPC-014]")
