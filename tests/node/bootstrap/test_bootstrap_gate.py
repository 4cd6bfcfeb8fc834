"""What stands before slurmd: no record of this boot, or a failed step, and the node takes no jobs."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from bedplate.node.bootstrap import gate
from bedplate.node.bootstrap.places import RECORD
from bedplate.node.bootstrap.record import BootRecord
from bedplate.node.bootstrap.step import DONE, FAILED, SKIPPED, StepResult


def _record(*steps: tuple[str, str, str], boot_id: str = "boot-1") -> str:
    return BootRecord(
        environment="prod",
        pool="train",
        role="compute",
        instance_id="i-1",
        boot_id=boot_id,
        program_version="0.1.0",
        program_sha256="0" * 64,
        started_at="2026-11-29T00:00:00+00:00",
        ended_at="2026-11-29T00:00:09+00:00",
        seconds=9.0,
        steps=tuple(StepResult(*step, 0.1) for step in steps),
    ).to_json()


WELL = _record(("install_program", DONE, ""), ("make_scratch", SKIPPED, "no disks"))


def _closed(path: Path, *, wait_seconds: float = 0.0) -> str:
    return gate.why_closed(path, boot_id="boot-1", wait_seconds=wait_seconds, sleep=lambda _: None)


def test_the_gate_is_open_once_every_step_is_done(tmp_path: Path) -> None:
    """Skipped steps are none that failed."""
    (tmp_path / "record").write_text(WELL)
    assert _closed(tmp_path / "record") == ""


def test_a_failed_step_closes_the_gate_and_is_named(tmp_path: Path) -> None:
    """Whoever asks systemd why slurmd is down reads the step and its reason."""
    (tmp_path / "record").write_text(_record(("set_up_lnet", FAILED, "7 EFAs"), ("x", DONE, "")))
    assert _closed(tmp_path / "record") == "set_up_lnet: 7 EFAs"


@pytest.mark.parametrize(
    "text",
    [None, "", "{", WELL[:-9], _record(), _record(("install_program", DONE, ""), boot_id="boot-0")],
    ids=["none", "empty", "broken", "cut", "no-steps", "earlier-boot"],
)
def test_without_a_whole_record_of_this_boot_the_gate_stays_closed(tmp_path: Path, text: str | None) -> None:
    """It waits its time and then says no; an empty record and that of an earlier boot open nothing."""
    if text is not None:
        (tmp_path / "record").write_text(text)
    assert _closed(tmp_path / "record", wait_seconds=6)


def test_the_gate_opens_when_the_record_comes(tmp_path: Path) -> None:
    """At a reboot slurmd may be asked for before the bootstrap has ended."""
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            (tmp_path / "record").write_text(WELL)

    assert gate.why_closed(tmp_path / "record", boot_id="boot-1", wait_seconds=60, sleep=sleep) == ""
    assert len(waits) == 3


@pytest.mark.parametrize(("text", "status"), [(WELL, 0), (_record(("a", FAILED, "b")), 1)])
def test_the_command_ends_as_systemd_understands(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    text: str,
    status: int,
) -> None:
    """0 lets slurmd start, 1 with a sentence does not."""
    for path, content in ((RECORD, text), ("/proc/sys/kernel/random/boot_id", "boot-1\n")):
        target = tmp_path / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content)
    monkeypatch.setenv("BEDPLATE_ROOT", str(tmp_path))
    assert gate.main(argparse.Namespace(wait=0.0)) == status
    assert ("takes no jobs: a: b" in capsys.readouterr().err) is bool(status)
