"""Call a function in a process of its own, so that one that hangs or dies takes nothing with it.

A read of sysfs or procfs can hang in the kernel where a device or a server is gone. Such a process cannot be
ended, so it is left behind; as long as it is there it holds its lock, and no second one is started.
"""

from __future__ import annotations

import os
import select
import signal
import time
from pathlib import Path
from typing import Callable, List

from bedplate.node.file_lock import take_lock

_CHUNK = 65_536


class IsolatedCallError(Exception):
    """The function gave no answer; the message is one line."""


def call_isolated(function: Callable[[], str], *, deadline_seconds: float, lock: Path) -> str:
    """What ``function`` returns. Raises ``IsolatedCallError`` where it raises, dies, or is not done within
    the deadline, or where an earlier call still hangs.
    """
    held = take_lock(lock)
    if held is None:
        raise IsolatedCallError("an earlier run still hangs")
    with held:
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            _answer(function, writer)
        os.close(writer)
        try:
            data, ended = _read(reader, time.monotonic() + deadline_seconds)
        finally:
            os.close(reader)
        if not ended:
            os.kill(child, signal.SIGKILL)
    if not ended:
        # One that hangs in the kernel does not die, and still has the lock: it is not waited for.
        os.waitpid(child, os.WNOHANG)
        raise IsolatedCallError(f"it was not done within {deadline_seconds:g} s")
    os.waitpid(child, 0)
    if not data:
        raise IsolatedCallError("it died")
    text = data[1:].decode("utf-8", errors="replace")
    if data[:1] != b"+":
        raise IsolatedCallError(text)
    return text


def _answer(function: Callable[[], str], writer: int) -> None:
    """In the child: the answer or the reason, then the end, without what the parent has to clean up."""
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        try:
            data = b"+" + function().encode("utf-8", errors="replace")
        except Exception as error:  # noqa: BLE001 - the reason is all that is wanted
            data = b"-" + f"{type(error).__name__}: {error}".encode("utf-8", errors="replace")[:500]
        while data:
            data = data[os.write(writer, data) :]
    finally:
        os._exit(0)


def _read(reader: int, until: float) -> "tuple[bytes, bool]":
    """What was written until the end, and whether the end came in time."""
    parts: List[bytes] = []
    while True:
        left = until - time.monotonic()
        if left <= 0 or not select.select([reader], [], [], left)[0]:
            return b"".join(parts), False
        part = os.read(reader, _CHUNK)
        if not part:
            return b"".join(parts), True
        parts.append(part)
