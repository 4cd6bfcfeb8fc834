"""Starts the sandbox's server as a process, waits until it answers, and stops it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from bedplate.errors import BedplateError
from bedplate.sandbox.state import LOG_NAME, RECORD_NAME, SandboxRecord, is_alive, read_record

START_LIMIT_S = 60.0
STOP_LIMIT_S = 20.0


class SandboxFailed(BedplateError):  # named as its siblings in bedplate.errors
    """The sandbox did not start or did not stop."""


def start_sandbox(
    *,
    state_dir: Path,
    port: int = 0,
    faults: Path | None = None,
    account: str = "123456789012",
    region: str = "us-west-2",
    owned: bool = False,
) -> SandboxRecord:
    """Start a server in ``state_dir`` and return its record once it answers.

    ``port`` 0 takes a free one. ``faults`` is the file that only the server reads. ``owned``: the server ends
    when the calling process ends. Raises ``SandboxFailed`` (SBX-002) where one runs there already, or where
    the server ends or does not answer within a minute; the message ends with the last line of its log.
    """
    state_dir = state_dir.resolve()
    state_dir.mkdir(parents=True, exist_ok=True)
    running = read_record(state_dir)
    if running is not None and is_alive(running):
        raise SandboxFailed(
            f"a sandbox runs already in {state_dir}: {running.endpoint}, process {running.pid}",
            error_id="SBX-002",
            remedy="use it, or stop it by `bedplate sandbox down`",
        )
    (state_dir / RECORD_NAME).unlink(missing_ok=True)
    command = [
        sys.executable,
        "-m",
        "bedplate.sandbox.server",
        "--state",
        str(state_dir),
        "--port",
        str(port),
    ]
    command += ["--account", account, "--region", region]
    command += ["--faults", str(faults.resolve())] if faults else []
    command += ["--parent", str(os.getpid())] if owned else []
    with (state_dir / LOG_NAME).open("ab") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    return _wait_until_up(process, state_dir)


def stop_sandbox(record: SandboxRecord) -> None:
    """Stop a server by its process id and wait until it is gone; nothing happens where it is gone already."""
    if not is_alive(record):
        return
    os.kill(record.pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_LIMIT_S
    while time.monotonic() < deadline:
        if not is_alive(record):
            return
        time.sleep(0.05)
    os.kill(record.pid, signal.SIGKILL)
    raise SandboxFailed(
        f"the sandbox, process {record.pid}, did not stop within {STOP_LIMIT_S:.0f} s and was killed",
        error_id="SBX-002",
        remedy="see its server.log for what it was doing",
    )


def _wait_until_up(process: subprocess.Popen[bytes], state_dir: Path) -> SandboxRecord:
    deadline = time.monotonic() + START_LIMIT_S
    try:
        while time.monotonic() < deadline and process.poll() is None:
            record = read_record(state_dir)
            if record is not None:
                return record
            time.sleep(0.05)
    except BaseException:  # whoever interrupts the start would not know of the server
        process.kill()
        process.wait()
        raise
    how = (
        f"ended with {process.returncode}"
        if process.poll() is not None
        else f"gave no answer in {START_LIMIT_S:.0f} s"
    )
    if process.poll() is None:
        process.kill()
    raise SandboxFailed(
        f"the sandbox {how}: {_last_line(state_dir / LOG_NAME)}",
        error_id="SBX-002",
        remedy=f"see {state_dir / LOG_NAME}",
    )


def _last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines() if log.exists() else []
    return lines[-1] if lines else "its log is empty"
