"""``bedplate sandbox``: what it says, with the server itself left out."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bedplate.sandbox import process
from bedplate.sandbox.state import SandboxRecord

Bedplate = Callable[..., "subprocess.CompletedProcess[str]"]
RECORD = SandboxRecord(endpoint="http://localhost:4566", pid=1, account="123456789012", region="us-west-2")


@pytest.mark.parametrize(
    ("arguments", "stop"),
    [((), "bedplate sandbox down"), (("--state", "my state"), "bedplate sandbox down --state 'my state'")],
    ids=["default", "another folder"],
)
def test_how_to_stop_it_can_be_copied(
    arguments: tuple[str, ...],
    stop: str,
    tmp_path: Path,
    bedplate: Bedplate,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The command that is shown stops this sandbox, in whatever folder it keeps its state."""
    monkeypatch.setattr(process, "start_sandbox", lambda **_: RECORD)
    done = bedplate("sandbox", "up", *arguments, cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr.splitlines()[-1].endswith(f"Stop it by `{stop}`.")
    assert "export AWS_ENDPOINT_URL=http://localhost:4566" in done.stdout.splitlines()


@pytest.mark.parametrize("account", ["abc", "12345678901", "١٢٣٤٥٦٧٨٩٠١٢"])
def test_an_account_is_12_digits(account: str, tmp_path: Path, bedplate: Bedplate) -> None:
    """Another account is a usage error, and nothing is started."""
    done = bedplate("sandbox", "up", "--account", account, cwd=tmp_path)
    assert done.returncode == 2
    assert f"'{account}' is not 12 digits" in done.stderr
    assert list(tmp_path.iterdir()) == []
