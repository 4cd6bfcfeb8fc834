"""Where files are to go is tried before anything is asked or run."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bedplate.errors import ExitCode

Bedplate = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.mark.parametrize("command", ["validate", "preflight"])
@pytest.mark.parametrize("below", ["file", "file/deep", "loop"])
def test_a_folder_that_cannot_be_written_is_refused_before_the_run(
    bedplate: Bedplate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, below: str
) -> None:
    """RES-001 names it; AWS, which would answer nothing here, was not asked."""
    monkeypatch.setattr("bedplate.validation.aws.AwsClients", lambda **_: pytest.fail("AWS was asked"))
    (tmp_path / "file").write_text("no folder")
    (tmp_path / "loop").symlink_to("loop")
    done = bedplate(command, "-e", "demo", "-q", "-o", str(tmp_path / below / "out"))
    assert done.returncode == ExitCode.FAILED
    assert f"error[RES-001]: {tmp_path / below / 'out'}: files cannot be written into it" in done.stderr


@pytest.mark.parametrize("command", ["validate", "preflight"])
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="the system has no /proc")
def test_proc_is_no_place_for_files(bedplate: Bedplate, command: str) -> None:
    """Its rights look well to root, and it takes no folder all the same."""
    done = bedplate(command, "-e", "demo", "-q", "-o", "/proc/x")
    assert done.returncode == ExitCode.FAILED
    assert "error[RES-001]: /proc/x: " in done.stderr


def test_an_output_that_can_be_written_is_left_clean(
    bedplate: Bedplate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder is made; the file that was tried is gone."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    done = bedplate("preflight", "-e", "demo", "-q", "-o", str(tmp_path / "a" / "b"))
    assert done.returncode == ExitCode.AWS_REFUSED
    assert list((tmp_path / "a" / "b").iterdir()) == []
