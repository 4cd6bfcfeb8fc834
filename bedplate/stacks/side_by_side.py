"""Two pieces of work at once: one waits for Node, one is Python's own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class SideBySide(Generic[T]):
    """Starts ``work`` in a thread at once; ``result`` waits for it, and raises what it raised.

    ``work`` must not touch aws_cdk: the CDK's kernel answers one thread only.
    """

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._outcome: list[T] = []
        self._error: BaseException | None = None
        # A daemon, so that an error in the other work ends the process without waiting for this one.
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def result(self) -> T:
        """What ``work`` returned."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._outcome[0]

    def _run(self) -> None:
        try:
            self._outcome.append(self._work())
        except BaseException as error:  # noqa: BLE001 - raised again by ``result``
            self._error = error
