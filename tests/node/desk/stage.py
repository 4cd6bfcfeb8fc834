"""A desk whose bucket, clocks and programs a test holds in its hands."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from concurrent.futures import Executor, Future
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bedplate.node.commands import COMMANDS
from bedplate.node.desk import keys
from bedplate.node.desk.desk import Desk, Pauses
from bedplate.node.desk.journal import Journal
from bedplate.node.desk.status import Status, read_status
from bedplate.node.process import ToolRun
from tests.support.memory_bucket import MemoryBucket

ME = "i-0123456789abcdef0"
NONCE = "0123456789abcdef"


def ended(text: str = "", *, rc: int | None = 0, stderr: str = "", problem: str = "") -> ToolRun:
    """A program that has ended so."""
    timed_out = problem.startswith("deadline")
    return ToolRun("python3", (), rc, timed_out, False, 0.1, text, stderr, problem)


class AtOnce(Executor):
    """What is submitted runs in the same moment."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run it."""
        fn(*args, **kwargs)
        return Future()


class Later(Executor):
    """What is submitted runs when a test says so."""

    def __init__(self) -> None:
        self.waiting: list[Any] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Keep it."""
        self.waiting.append(lambda: fn(*args, **kwargs))
        return Future()

    def go_on(self) -> None:
        """Run all that was kept."""
        while self.waiting:
            self.waiting.pop(0)()


class Stage:
    """``program`` is what every order's program comes to; ``began`` are their command lines."""

    def __init__(self, folder: Path) -> None:
        self.seconds = 0.0
        self.bucket = MemoryBucket(lambda: datetime(2026, 11, 30, tzinfo=UTC) + self._passed())
        self.said: list[str] = []
        self.began: list[Sequence[str]] = []
        self.program: ToolRun = ended()
        self.stop = threading.Event()
        self.journal = Journal(folder / "journal")
        self.desk = self.new_desk()

    def new_desk(self) -> Desk:
        """As after a restart: the bucket and the journal are as they were left."""
        return Desk(
            instance_id=ME,
            bucket=self.bucket,
            journal=self.journal,
            commands=tuple(COMMANDS),
            program=("python3", "node.pyz"),
            run=self._run,
            stop=self.stop,
            say=self.said.append,
            pauses=Pauses(),
            clock=lambda: self.seconds,
            sleep=self._sleep,
        )

    def look(self, pool: Executor | None = None) -> None:
        """One look."""
        self.desk.look(pool or AtOnce())

    def order(self, body: object = None, *, nonce: str = NONCE, age_seconds: float = 0.0) -> None:
        """Put an order; a good one where nothing else is asked for."""
        good = {"schema": 1, "arguments": ["probe"], "deadline_seconds": 60}
        data = body if isinstance(body, bytes) else json.dumps(good if body is None else body).encode()
        self.bucket.put(keys.asked_key(ME, nonce), data, age_seconds=age_seconds)

    def status(self, nonce: str = NONCE) -> Status:
        """How the order ended."""
        return read_status(self.bucket.text(keys.status_key(ME, nonce)).encode())

    def _run(self, argv: Sequence[str], _seconds: float, stop: threading.Event) -> ToolRun:
        self.began.append(argv)
        return ended(rc=None, problem="stopped") if stop.is_set() else self.program

    def _sleep(self, seconds: float) -> None:
        self.seconds += seconds

    def _passed(self) -> timedelta:
        return timedelta(seconds=self.seconds)
