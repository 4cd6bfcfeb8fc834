"""The log of a boot: every line with its time, in a file and on standard error."""

from __future__ import annotations

import sys
from collections import deque
from datetime import datetime, timezone
from pathlib import Path
from typing import Deque, List

LOG_PATH = "/var/log/bedplate-bootstrap.log"
_TAIL_LINES = 400


class BootLog:
    """Appends to a file; where that cannot be written the lines still go to standard error."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._tail: Deque[str] = deque(maxlen=_TAIL_LINES)

    @property
    def tail(self) -> List[str]:
        """The last lines of this run."""
        return list(self._tail)

    def say(self, text: str) -> None:
        """One line."""
        now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        self._write(f"{now} {text}")

    def detail(self, text: str) -> None:
        """What a program printed, indented below the line that names it."""
        for line in text.splitlines():
            self._write(f"    {line}")

    def _write(self, line: str) -> None:
        self._tail.append(line)
        print(line, file=sys.stderr, flush=True)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as log:
                log.write(line + "\n")
        except OSError as error:
            print(f"{self._path} cannot be written: {error}", file=sys.stderr)
