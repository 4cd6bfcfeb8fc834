"""Run a script as it would run on a simulated node, with a deadline, and leave nothing of it behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

KILLED_RC = 137  # 128 + SIGKILL, as a shell reports it


@dataclass(frozen=True)
class ShellResult:
    """What a script left. ``rc`` is 137 where it was stopped at its deadline (``timed_out``)."""

    stdout: str
    stderr: str
    rc: int
    timed_out: bool = False


def half_of(result: ShellResult) -> ShellResult:
    """What arrives where the agent is lost while the command runs: half of the output, and no end."""
    return ShellResult(result.stdout[: len(result.stdout) // 2], "", KILLED_RC, timed_out=True)


def run_script(*, script: str, folder: Path, environment: Mapping[str, str], timeout_s: float) -> ShellResult:
    """Run ``script`` by its ``#!`` line's interpreter (bash without one) in ``folder``, with exactly
    ``environment``.
    """
    interpreter = "python3" if "python" in script.split("\n", 1)[0] and script.startswith("#!") else "bash"
    path = environment.get("PATH", "")
    program = next(
        (
            str(Path(place) / interpreter)
            for place in path.split(os.pathsep)
            if (Path(place) / interpreter).exists()
        ),
        interpreter,
    )
    # In the node's folder, so that it goes with the node where the server is killed.
    with tempfile.NamedTemporaryFile("w", suffix=".script", encoding="utf-8", dir=folder.parent) as file:
        file.write(script)
        file.flush()
        return _run([program, file.name], folder, environment, timeout_s)


def _run(argv: list[str], folder: Path, environment: Mapping[str, str], timeout_s: float) -> ShellResult:
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            argv,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        timed_out = False
        try:
            process.wait(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            _end_group(process)
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode("utf-8", errors="replace"))
    return ShellResult(texts[0], texts[1], KILLED_RC if timed_out else process.returncode, timed_out)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill what the script left running in its group, itself included."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
