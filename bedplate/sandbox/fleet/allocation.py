"""Which nodes have a job on them, and which are drained.

A job is one lock a node, held by whoever runs it, gone when it dies. A drain belongs to the node's name in
Slurm, as in Slurm itself: it outlives the instance behind the name.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from bedplate.sandbox.fleet.truth import NodeTruth

_LOCK = "job.lock"
_JOB = "job.json"
_FOREIGN_JOB = "foreign-job"
_DRAINS = "slurm-drains"
_HELD_BACK = "slurmd-held-back"
_RETRY_SECONDS = 0.2


@dataclass(frozen=True)
class SlurmState:
    """A node as Slurm shows it: ``name`` as ``scontrol`` prints it, ``short`` as ``sinfo`` does."""

    name: str
    short: str
    reason: str = ""
    allocated: bool = False

    @property
    def idle(self) -> bool:
        """Whether a job can start on it now."""
        return self.short == "idle"


def slurm_state(node: NodeTruth) -> SlurmState:
    """The node's state now."""
    if node.effects.unreachable or (node.folder / _HELD_BACK).exists():
        return SlurmState("DOWN+CLOUD+NOT_RESPONDING", "down*", "Not responding")
    busy = (node.folder / _FOREIGN_JOB).exists() or _locked(node.folder / _LOCK)
    reason = drain_reason(node)
    if reason and busy:
        return SlurmState("ALLOCATED+CLOUD+DRAIN", "drng", reason, allocated=True)
    if reason:
        return SlurmState("IDLE+CLOUD+DRAIN", "drain", reason)
    if busy:
        return SlurmState("ALLOCATED+CLOUD", "alloc", allocated=True)
    return SlurmState("IDLE+CLOUD", "idle")


def occupy(folder: Path) -> None:
    """Put a user's job on the node."""
    (folder / _FOREIGN_JOB).touch()


def vacate(folder: Path) -> None:
    """End the user's job."""
    (folder / _FOREIGN_JOB).unlink(missing_ok=True)


def drain(node: NodeTruth, reason: str) -> None:
    """Let no new job onto the node; ``reason`` as Slurm shows it."""
    place = _drain_file(node)
    place.parent.mkdir(exist_ok=True)
    place.write_text(reason, encoding="utf-8")


def resume(node: NodeTruth) -> None:
    """Let jobs onto the node again."""
    _drain_file(node).unlink(missing_ok=True)


def drain_reason(node: NodeTruth) -> str:
    """Why the node is drained; empty where it is not."""
    try:
        return _drain_file(node).read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""


def _drain_file(node: NodeTruth) -> Path:
    return node.folder.parent / _DRAINS / str(node.slurm_name)


def hold_back(folder: Path, reason: str) -> None:
    """The node's daemon did not start, so Slurm never hears of the node."""
    (folder / _HELD_BACK).write_text(reason, encoding="utf-8")


@dataclass(frozen=True)
class RunningJob:
    """A job by its name; ``ends_at`` in seconds of the clock (``time.time``), None where it has no limit."""

    name: str
    ends_at: float | None = None


def running_jobs(nodes: Iterable[NodeTruth]) -> list[RunningJob]:
    """The jobs that are on the nodes now, a user's too."""
    found: dict[RunningJob, None] = {}
    for node in nodes:
        if (node.folder / _FOREIGN_JOB).exists():
            found[RunningJob("a user's own")] = None
        if _locked(node.folder / _LOCK):
            with suppress(FileNotFoundError, ValueError):  # it is starting, or has just ended
                found[RunningJob(**json.loads((node.folder / _JOB).read_text(encoding="utf-8")))] = None
    return list(found)


class NodesBusy(Exception):
    """Some node was not idle until the time to wait was over."""


@contextmanager
def allocate(nodes: Iterable[NodeTruth], *, wait_seconds: float, job: RunningJob) -> Iterator[None]:
    """Hold all nodes or none, by ``job``. Raises ``NodesBusy`` where they are not all idle
    within ``wait_seconds``.
    """
    wanted = sorted(nodes, key=lambda node: node.instance_id)
    until = time.monotonic() + wait_seconds
    while True:
        with ExitStack() as held:
            if all(slurm_state(node).idle and _lock(node.folder / _LOCK, held) for node in wanted):
                for node in wanted:
                    (node.folder / _JOB).write_text(json.dumps(asdict(job)), encoding="utf-8")
                yield
                return
        if time.monotonic() >= until:
            raise NodesBusy
        time.sleep(_RETRY_SECONDS)


def _lock(path: Path, held: ExitStack, *, how: int = fcntl.LOCK_EX) -> bool:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return False
    held.callback(os.close, descriptor)
    return True


def _locked(path: Path) -> bool:
    # A shared lock, so that two who look do not take each other for a job.
    with ExitStack() as held:
        return path.exists() and not _lock(path, held, how=fcntl.LOCK_SH)
