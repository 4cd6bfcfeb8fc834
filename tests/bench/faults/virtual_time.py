"""A clock that runs ahead instead of waiting: what would sleep goes on at once, and deadlines still pass."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock


class Overran(BaseException):
    """A program slept past the deadline of ``frame``; no ``except Exception`` of its own may swallow it."""

    def __init__(self, frame: int) -> None:
        super().__init__(frame)
        self.frame = frame


class VirtualTime:
    """``sleep`` and ``monotonic`` in place of the module ``time``'s; programs are frames with deadlines."""

    def __init__(self) -> None:
        self._real = time.monotonic
        self._ahead_seconds = 0.0
        self._deadlines: list[float] = []

    def monotonic(self) -> float:
        """The real clock, and all that was slept."""
        return self._real() + self._ahead_seconds

    def sleep(self, seconds: float) -> None:
        """No time passes for us; the innermost programs see it pass, and one of them may overrun."""
        self._ahead_seconds += max(seconds, 0.001)
        passed = [frame for frame, deadline in enumerate(self._deadlines) if self.monotonic() > deadline]
        if passed:
            raise Overran(passed[0])

    @contextmanager
    def frame(self, deadline_seconds: float) -> Iterator[int]:
        """A program that may run for so long; yields the number by which ``Overran`` names it."""
        self._deadlines.append(self.monotonic() + deadline_seconds)
        try:
            yield len(self._deadlines) - 1
        finally:
            self._deadlines.pop()

    @contextmanager
    def instead_of_time(self) -> Iterator[None]:
        """Stand in for ``time.sleep`` and ``time.monotonic`` in this process."""
        with mock.patch("time.sleep", self.sleep), mock.patch("time.monotonic", self.monotonic):
            yield
