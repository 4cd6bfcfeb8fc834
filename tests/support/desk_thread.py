"""A desk that serves in a thread of the test, over a bucket in memory, with real programs."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bedplate.node.commands import COMMANDS
from bedplate.node.desk.desk import Desk, Pauses
from bedplate.node.desk.journal import Journal
from bedplate.node.process import Limits, ToolRun, run_tool
from tests.support.memory_bucket import MemoryBucket

QUICK = Pauses(rest_seconds=0.2, busy_seconds=0.1, lively_seconds=10.0)


@contextmanager
def serving_desk(
    bucket: MemoryBucket,
    instance_id: str,
    *,
    folder: Path,
    program: tuple[str, ...],
    environment: Mapping[str, str],
    grace_seconds: float = 30.0,
) -> Iterator[list[str]]:
    """The desk of one node, ended with what it runs; gives what it says."""
    stop, said = threading.Event(), list[str]()

    def run(argv: object, seconds: float, cancelled: threading.Event) -> ToolRun:
        limits = Limits(seconds, grace_seconds=grace_seconds)
        both = _Either(stop, cancelled)
        return run_tool(argv=argv, limits=limits, environment=environment, stop=both)  # type: ignore[arg-type]

    desk = Desk(
        instance_id=instance_id,
        bucket=bucket,
        journal=Journal(folder / instance_id),
        commands=tuple(COMMANDS),
        program=program,
        run=run,
        stop=stop,
        say=said.append,
        pauses=QUICK,
    )
    thread = threading.Thread(target=desk.serve, name=f"desk-{instance_id}")
    thread.start()
    try:
        yield said
    finally:
        stop.set()
        thread.join()


class _Either(threading.Event):
    """In the place of ``process.STOP``, which would end every other test's programs too."""

    def __init__(self, *events: threading.Event) -> None:
        super().__init__()
        self._events = events

    def is_set(self) -> bool:
        return any(event.is_set() for event in self._events)
