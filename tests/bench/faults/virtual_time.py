"""A clock that runs ahead instead of waiting: what would sleep goes on at once, and deadlines still pass.

Programs that wait for each other (a server and its client) take turns: whoever sleeps gives the turn away.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from greenlet import getcurrent, greenlet


class Overran(BaseException):
    """The program of ``frame`` must end now; no ``except Exception`` of its own may swallow it."""

    def __init__(self, frame: int, why: str) -> None:
        super().__init__(frame, why)
        self.frame, self.why = frame, why


class VirtualTime:
    """``sleep`` and ``monotonic`` in place of the module ``time``'s; programs are frames with deadlines."""

    def __init__(self) -> None:
        self._real = time.process_time
        self._ahead_seconds = 0.0
        self._frames: list[tuple[float, str, Any]] = []
        self._main = getcurrent()
        self._others: list[Background] = []

    def monotonic(self) -> float:
        """What this process has computed, and all that was slept; the machine's other work takes no time."""
        return self._real() + self._ahead_seconds

    def sleep(self, seconds: float) -> None:
        """No time passes for us; the programs see it pass, others take their turn, and one may overrun."""
        self._ahead_seconds += max(seconds, 0.001)
        if getcurrent() is not self._main:
            self._main.switch()
        else:
            for other in list(self._others):
                other.turn()
        for number, (deadline, why, stop) in enumerate(self._frames):
            if self.monotonic() > deadline:
                raise Overran(number, why)
            if stop is not None and stop.is_set():
                raise Overran(number, "")

    @contextmanager
    def frame(self, deadline_seconds: float, *, why: str = "", stop: Any = None) -> Iterator[int]:
        """A program that may run for so long, or until ``stop`` is set; yields the number by which
        ``Overran`` names it.
        """
        self._frames.append((self.monotonic() + deadline_seconds, why, stop))
        try:
            yield len(self._frames) - 1
        finally:
            self._frames.pop()

    def start(self, work: Callable[[], Any]) -> Background:
        """Run ``work`` beside what goes on: in turns, beginning when that sleeps or waits."""
        return Background(self, work)

    @contextmanager
    def instead_of_time(self) -> Iterator[None]:
        """Stand in for ``time.sleep`` and ``time.monotonic`` in this process; for one thread to use."""
        self._main = getcurrent()
        with mock.patch("time.sleep", self.sleep), mock.patch("time.monotonic", self.monotonic):
            try:
                yield
            finally:
                for other in list(self._others):
                    other.end()


class Background:
    """Work in turns, with its own standard output, environment and frames; used as a ``Future`` is."""

    def __init__(self, clock: VirtualTime, work: Callable[[], Any]) -> None:
        self._clock, self._work = clock, work
        self._greenlet = greenlet(self._run)
        self._state = (sys.stdout, sys.stderr, _environment(), list(clock._frames))
        self._value: Any = None
        self._error: BaseException | None = None
        self._turned = False
        clock._others.append(self)

    def turn(self) -> None:
        """Let it go on until it sleeps or ends."""
        if self.done():
            return
        self._turned = True
        self._switch(self._greenlet.switch)

    def end(self) -> None:
        """End it where it stands: what it put in place of other things it must not put back later."""
        if self._turned and not self.done():
            self._switch(self._greenlet.throw)
        if self in self._clock._others:
            self._clock._others.remove(self)

    def _switch(self, go_there: Callable[[], Any]) -> None:
        clock = self._clock
        mine = (sys.stdout, sys.stderr, _environment(), clock._frames)
        self._take(self._state)
        go_there()
        self._state = (sys.stdout, sys.stderr, _environment(), clock._frames)
        self._take(mine)
        if self.done() and self in clock._others:
            clock._others.remove(self)

    def done(self) -> bool:
        """Whether it has ended."""
        return self._turned and self._greenlet.dead

    def result(self, timeout: float | None = None) -> Any:
        """Its value once it has ended; what it raised is raised here."""
        while not self.done():
            self._clock.sleep(0.01)
        if self._error is not None:
            raise self._error
        return self._value

    def _run(self) -> None:
        try:
            self._value = self._work()
        except BaseException as error:  # noqa: BLE001 - it belongs to whoever asks for the result
            self._error = error

    def _take(self, state: tuple[Any, Any, Any, list[Any]]) -> None:
        sys.stdout, sys.stderr = state[0], state[1]
        environment: Any = os.environ
        environment._data = state[2]
        self._clock._frames = state[3]


def _environment() -> Any:
    """The table behind ``os.environ``: to fill that itself would tell the C library, and so every child."""
    environment: Any = os.environ
    return environment._data
