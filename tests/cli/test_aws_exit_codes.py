"""Every command that asks AWS ends alike where it gets no answer: exit code 5, and the same ids."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable

import pytest

from bedplate.cli.main import COMMANDS
from bedplate.errors import ExitCode

Bedplate = Callable[..., "subprocess.CompletedProcess[str]"]

OFFLINE = {"init", "job", "check", "schema", "expand", "explain", "report", "dashboards", "sandbox", "demo"}
"""They ask nothing of AWS, or only the stand-in that they have started."""
ASKING = {
    "lock": ["lock", "-e", "demo"],
    "lock --check": ["lock", "-e", "demo", "--check"],
    "preflight": ["preflight", "-e", "demo", "-q"],
    "validate": ["validate", "-e", "demo", "-q"],
    "runner": ["runner", "demo", "--region", "us-west-2"],
    "act": ["act", "-e", "demo"],
    "undo": ["undo", "-e", "demo"],
    "undo --list": ["undo", "-e", "demo", "--list"],
    "baseline show": ["baseline", "show", "-e", "demo"],
    "baseline accept": ["baseline", "accept", "-e", "demo", "--run", "r", "--because", "b"],
    "baseline forget": ["baseline", "forget", "-e", "demo"],
    "support-bundle": ["support-bundle", "i-0123456789abcdef0", "-e", "demo"],
}


@pytest.fixture(autouse=True)
def _nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """No credentials from anywhere, and no waiting between attempts."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, "/dev/null")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setattr("time.sleep", lambda _seconds: None)


def test_every_command_is_held() -> None:
    """A command is either offline or in the table of those that ask AWS."""
    assert OFFLINE | {name.partition(" ")[0] for name in ASKING} == set(COMMANDS)


@pytest.mark.parametrize("arguments", ASKING.values(), ids=ASKING)
def test_without_credentials_a_command_ends_with_5(bedplate: Bedplate, arguments: list[str]) -> None:
    """AWS-002 says how to sign in."""
    done = bedplate(*arguments)
    assert done.returncode == ExitCode.AWS_REFUSED
    assert "error[AWS-002]" in done.stderr


@pytest.mark.parametrize("arguments", ASKING.values(), ids=ASKING)
def test_with_aws_out_of_reach_a_command_ends_with_5(bedplate: Bedplate, arguments: list[str]) -> None:
    """AWS-001 says so, in JSON too."""
    away = {
        "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
    }
    done = bedplate(*arguments, "--json", **away)
    assert done.returncode == ExitCode.AWS_REFUSED
    answer = json.loads(done.stdout)["error"]
    assert (answer["id"], answer["exit_code"]) == ("AWS-001", 5)
