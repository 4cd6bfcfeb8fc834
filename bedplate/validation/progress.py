"""What a long run says while it works: the contract, and its three players.

Progress goes to standard error, so that standard output holds results alone. ``progress_for`` chooses: a live
line on a terminal, timestamped lines where there is none (a pipe, ``CI``, ``NO_COLOR``, a dumb terminal), and
nothing when quiet. All players may be called from several threads.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress as RichBar


class Progress(Protocol):
    """What the work calls; a phase ends where the next one begins, or at ``close``."""

    def phase(self, name: str, total: int | None = None) -> None:
        """Begin a phase of ``total`` steps; ``None`` where the count is not known."""

    def advance(self, text: str = "") -> None:
        """One step of the phase is done; ``text`` says which."""

    def note(self, text: str) -> None:
        """Say something that must stay on the screen, e.g. that a node was given up on."""

    def close(self) -> None:
        """End the last phase and leave the terminal as it was; may be called twice."""


class NullProgress:
    """Says nothing: ``--quiet``, and callers that want no display."""

    def phase(self, name: str, total: int | None = None) -> None:
        """Say nothing."""

    def advance(self, text: str = "") -> None:
        """Say nothing."""

    def note(self, text: str) -> None:
        """Say nothing."""

    def close(self) -> None:
        """Say nothing."""


class PlainProgress:
    """One line per event, with the time of day in UTC: for pipes, logs and CI."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream if stream is not None else sys.stderr
        self._lock = threading.Lock()
        self._name = ""
        self._total: int | None = None
        self._done = 0
        self._began = 0.0

    def phase(self, name: str, total: int | None = None) -> None:
        """Begin a phase; prints its name and how many steps it has."""
        with self._lock:
            self._end()
            self._name, self._total, self._done, self._began = name, total, 0, time.monotonic()
            self._print(name if total is None else f"{name} (0/{total})")

    def advance(self, text: str = "") -> None:
        """One step done; prints the count and the text."""
        with self._lock:
            self._done += 1
            count = f"{self._done}" if self._total is None else f"{self._done}/{self._total}"
            self._print(f"{self._name} ({count}){': ' + text if text else ''}")

    def note(self, text: str) -> None:
        """Print the text."""
        with self._lock:
            self._print(text)

    def close(self) -> None:
        """Print how long the last phase took."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._name:
            self._print(f"{self._name}: {time.monotonic() - self._began:.1f} s")
        self._name = ""

    def _print(self, text: str) -> None:
        print(f"{datetime.now(UTC):%H:%M:%S}Z  {text}", file=self._stream, flush=True)


class RichProgress:
    """A live line on the terminal: phase, bar, count, time and what was done last."""

    def __init__(self, stream: TextIO | None = None) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        self._lock = threading.Lock()
        self._bar: RichBar = Bar(
            SpinnerColumn(finished_text="✓"),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[last]}", style="dim", markup=False),
            console=Console(file=stream if stream is not None else sys.stderr),
        )
        self._task: int | None = None
        self._bar.start()

    def phase(self, name: str, total: int | None = None) -> None:
        """Begin a phase; the one before stays on the screen with its time."""
        with self._lock:
            self._end()
            self._task = int(self._bar.add_task(name, total=total, last=""))

    def advance(self, text: str = "") -> None:
        """One step done."""
        from rich.progress import TaskID

        with self._lock:
            if self._task is not None:
                self._bar.update(TaskID(self._task), advance=1, last=text)

    def note(self, text: str) -> None:
        """Print the text above the live line."""
        self._bar.console.print(text, markup=False, highlight=False)

    def close(self) -> None:
        """Stop the live line; what was done stays on the screen."""
        with self._lock:
            self._end()
            self._bar.stop()

    def _end(self) -> None:
        from rich.progress import TaskID

        if self._task is None:
            return
        task = self._bar.tasks[self._bar.task_ids.index(TaskID(self._task))]
        # A phase of unknown length ends with as many steps as it took; one cut short keeps its count.
        if task.total is None:
            self._bar.update(TaskID(self._task), total=task.completed)
        self._bar.update(TaskID(self._task), last="")
        self._bar.stop_task(TaskID(self._task))
        self._task = None


def progress_for(
    *, quiet: bool = False, stream: TextIO | None = None, environ: Mapping[str, str] | None = None
) -> Progress:
    """The player that fits the place: ``stream`` (default standard error) and the environment variables."""
    out = stream if stream is not None else sys.stderr
    env = os.environ if environ is None else environ
    if quiet:
        return NullProgress()
    plain = bool(env.get("CI") or env.get("NO_COLOR")) or env.get("TERM") == "dumb" or not out.isatty()
    return PlainProgress(out) if plain else RichProgress(out)
