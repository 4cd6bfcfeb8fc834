"""Ends what this program has started if this program itself is killed.

Where a command is cancelled or overruns, the SSM agent sends SIGKILL to the process group of its script
(aws/amazon-ssm-agent: agent/executers/executers_unix.go). Tools run in groups of their own, so they would
live on, and srun's jobs with them. A small process outside of that group holds a pipe to this one: when the
pipe ends it ends the groups that were not given back, SIGTERM first, on which srun cancels its job.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from types import TracebackType
from typing import Optional, Type

_SCRIPT = """
import os, signal, sys, time
groups = set()
for line in sys.stdin:
    (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
for number, pause in ((signal.SIGTERM, 10), (signal.SIGKILL, 0)):
    for group in groups:
        try:
            os.killpg(group, number)
        except OSError:
            pass
    time.sleep(pause if groups else 0)
"""


class Guardian:
    """A context manager; ``watch`` and ``release`` take the id of a process group, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> "Guardian":  # noqa: PYI034 - Self is younger than Python 3.9
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SCRIPT],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            text=True,
        )
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        self._process.wait()

    def watch(self, group: int) -> None:
        """End this group if this program is killed."""
        self._tell(f"+{group}\n")

    def release(self, group: int) -> None:
        """The group has ended."""
        self._tell(f"-{group}\n")

    def _tell(self, line: str) -> None:
        if self._process.stdin is not None:
            with self._lock, contextlib.suppress(OSError):
                self._process.stdin.write(line)
                self._process.stdin.flush()
