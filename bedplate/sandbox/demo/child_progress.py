"""Shows the progress of a child process as the demonstration's own.

The child writes what ``PlainProgress`` writes: ``12:00:00Z  Probe nodes (3/8): i-0abc``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bedplate.validation.progress import Progress

_TIME_OF_DAY = re.compile(r"^\d\d:\d\d:\d\dZ\s+")
_COUNT = re.compile(r"(?P<name>.+?) \((?P<done>\d+)/(?P<total>\d+)\)(?:: (?P<text>.*))?")
_DURATION = re.compile(r"\d+\.\d s")


class ChildProgress:
    """Takes the lines of one child; ``title`` stands before the names of its phases."""

    def __init__(self, progress: Progress, *, title: str) -> None:
        self._progress = progress
        self._title = title
        self._phase = ""

    def hear(self, line: str) -> None:
        """Pass one line on: as the beginning of a phase, as a step of it, or as a note."""
        text = _TIME_OF_DAY.sub("", line).strip()
        count = _COUNT.fullmatch(text)
        if count and count["done"] == "0":
            self._phase = count["name"]
            self._progress.phase(f"{self._title}: {self._phase}", int(count["total"]))
        elif count and count["name"] == self._phase:
            self._progress.advance(count["text"] or "")
        elif text and not self._is_an_end(text):
            self._progress.note(text)

    def _is_an_end(self, text: str) -> bool:
        """Whether the line says how long the phase took, which our own progress says itself."""
        name, _, rest = text.rpartition(": ")
        return name == self._phase and _DURATION.fullmatch(rest) is not None
