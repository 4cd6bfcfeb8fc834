"""Ask nodes that this machine can play itself: the machine it runs on, or simulated nodes with a tree each.

The node program runs as a child process for each node, with the same envelope and the same judgement of
what is an answer as over any other way.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex

from bedplate.validation.transports.printed import Printed, reply_of
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.reply import Reply

PROGRAM = (sys.executable, "-m", "bedplate.node")
AT_ONCE = 16
_GRACE_SECONDS = 5.0
_MOST_SHOWN = 200


@dataclass(frozen=True)
class LocalNode:
    """How one node is asked here: its program, and what its environment has beside this process's own.

    A simulated node has ``BEDPLATE_ROOT`` and its PATH in it; the machine itself needs nothing.
    """

    environment: Mapping[str, str] = field(default_factory=dict)
    program: tuple[str, ...] = PROGRAM


@dataclass
class LocalTransport:
    """``nodes`` by instance id; ``folder`` keeps what each printed, one file a question and node."""

    nodes: Mapping[str, LocalNode]
    folder: Path
    sleep: Callable[[float], None] = field(default=time.sleep)
    clock: Callable[[], float] = field(default=time.monotonic)
    at_once: int = AT_ONCE
    _running: set[int] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stopped: threading.Event = field(default_factory=threading.Event)

    def ask(
        self,
        *,
        instance_ids: Sequence[str],
        question: Question,
        on_reply: Callable[[Reply], None] | None = None,
    ) -> dict[str, Reply]:
        """One reply for each node, in the order asked; ``on_reply`` is called as they come in.

        Where this is interrupted, every program that was started is ended first.
        """
        nonce = token_hex(16)
        replies: dict[str, Reply] = {}
        self._stopped.clear()
        with ThreadPoolExecutor(max_workers=self.at_once) as pool:
            try:
                asked = [pool.submit(self._ask_one, one, question, nonce) for one in instance_ids]
                for future in as_completed(asked):
                    reply = future.result()
                    replies[reply.instance_id] = reply
                    if on_reply is not None:
                        on_reply(reply)
            except BaseException:
                self._stopped.set()
                self._end_all()
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return {instance_id: replies[instance_id] for instance_id in instance_ids}

    def online(self, instance_ids: Sequence[str]) -> frozenset[str]:
        """Those that are known here."""
        return frozenset(instance_ids) & frozenset(self.nodes)

    def _ask_one(self, instance_id: str, question: Question, nonce: str) -> Reply:
        node = self.nodes.get(instance_id)
        if node is None:
            return Reply(instance_id, problem="this machine does not play it", unreachable=True)
        path = self.folder / nonce / f"{instance_id}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        argv = [*node.program, question.command, "--nonce", nonce, *question.options]
        with path.open("wb") as out, tempfile.TemporaryFile() as err:
            try:
                process = subprocess.Popen(
                    argv,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=err,
                    start_new_session=True,
                    env={**os.environ, **node.environment},
                )
            except OSError as error:
                return Reply(instance_id, problem=f"its program cannot be started: {error}", unreachable=True)
            status = self._wait(process, question.deadline_seconds)
            err.seek(0)
            last = _last_line(err.read())
        text = path.read_text(encoding="utf-8", errors="replace")
        printed = Printed(text, status, last, overran=status is None, location=str(path))
        return reply_of(instance_id, question, nonce, printed)

    def _wait(self, process: subprocess.Popen[bytes], deadline_seconds: float) -> int | None:
        """Its exit status; None where it was ended at its deadline or by an interruption."""
        with self._lock:
            self._running.add(process.pid)
        try:
            if self._stopped.is_set():
                return None
            return process.wait(timeout=deadline_seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            # Whatever it left behind goes with it.
            _end_group(process.pid, signal.SIGTERM if process.poll() is None else signal.SIGKILL)
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=_GRACE_SECONDS)
            _end_group(process.pid, signal.SIGKILL)
            process.wait()
            with self._lock:
                self._running.discard(process.pid)

    def _end_all(self) -> None:
        with self._lock:
            for group in self._running:
                _end_group(group, signal.SIGTERM)


def _end_group(group: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _last_line(data: bytes) -> str:
    lines = [line.strip() for line in data.decode("utf-8", errors="replace").splitlines() if line.strip()]
    return lines[-1][:_MOST_SHOWN] if lines else ""
