"""Daemons of a test: started with a log each, and ended by their ids."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

GRACE_SECONDS = 2.0
"""A slurmd that never registered does not hear SIGTERM; after this it gets SIGKILL."""


class NotReadyError(Exception):
    """A daemon ended, or what was waited for did not come in time."""


class Processes:
    """The daemons of one cluster. What they start has a variable in its environment that begins with
    ``mark``.
    """

    def __init__(self, *, logs: Path, environment: Mapping[str, str], mark: str) -> None:
        self._logs = logs
        self._environment = dict(environment)
        self._mark = mark
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str, argv: Sequence[str]) -> None:
        """Start a daemon that stays in the foreground, in a session of its own."""
        with (self._logs / f"{name}.out").open("ab") as out:
            self._running[name] = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=self._environment,
                start_new_session=True,
            )

    def kill(self, name: str) -> None:
        """End one at once, as a lost machine would."""
        process = self._running.pop(name)
        process.kill()
        process.wait()

    def alive(self, name: str) -> bool:
        """Whether it was started and has not ended."""
        return name in self._running and self._running[name].poll() is None

    def wait_for(self, ready: Callable[[], bool], *, what: str, seconds: float, needs: str = "") -> None:
        """Wait until ``ready``. Raises ``NotReadyError`` after ``seconds``, or where ``needs`` ended."""
        until = time.monotonic() + seconds
        while not ready():
            if needs and not self.alive(needs):
                raise NotReadyError(f"{needs} ended before {what}: {self.told(needs)}")
            if time.monotonic() > until:
                raise NotReadyError(f"not within {seconds:g} s: {what}")
            time.sleep(0.1)

    def told(self, name: str) -> str:
        """The end of what it printed."""
        path = self._logs / f"{name}.out"
        return path.read_text(encoding="utf-8", errors="replace")[-2000:] if path.exists() else ""

    def stop(self) -> None:
        """End all, the last started first, and what they left behind."""
        order = list(reversed(self._running.values()))
        for process in order:
            if process.poll() is None:
                process.terminate()
        until = time.monotonic() + GRACE_SECONDS
        for process in order:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, until - time.monotonic()))
            if process.poll() is None:
                process.kill()
                process.wait()
        self._running.clear()
        for pid in self.left_behind():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def left_behind(self) -> list[int]:
        """Ids of job processes and of slurmstepd, which leave slurmd's session."""
        return [
            int(path.parent.name) for path in Path("/proc").glob("[0-9]*/environ") if self._is_marked(path)
        ]

    def _is_marked(self, path: Path) -> bool:
        try:
            return any(each.startswith(self._mark.encode()) for each in path.read_bytes().split(b"\0"))
        except OSError:
            return False
