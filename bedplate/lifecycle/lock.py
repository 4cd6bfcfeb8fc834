"""Write the lock file of an environment, or tell whether it is still true."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from bedplate.capacity.lock_changes import LockChange, lock_changes
from bedplate.lockfile import LockFile, LockRefused, lock_path, read_lock

if TYPE_CHECKING:
    from bedplate.spec import Environment
    from bedplate.validation.aws import AwsClients


@dataclass(frozen=True, kw_only=True)
class LockComparison:
    """The lock file as it is and as AWS would have it; ``before`` is None where there is none to be read."""

    path: Path
    before: LockFile | None
    after: LockFile
    changes: tuple[LockChange, ...]


def compare_lock(
    environment: Environment,
    file: Path,
    clients: AwsClients,
    *,
    now: datetime,
    newest_images: bool = False,
) -> LockComparison:
    """Ask AWS and hold the answer against the lock file beside ``file``; nothing is written.

    Locked images stay, unless ``newest_images``. A lock file that cannot be read counts as none: it is to be
    written anew. Raises ``AwsRefused``.
    """
    from bedplate.validation.capacity_facts import ask_for_lock

    before = _readable(file)
    keep = before.images if before and not newest_images else {}
    after = ask_for_lock(environment, clients, locked_at=now.replace(microsecond=0), keep=keep)
    return LockComparison(
        path=lock_path(file), before=before, after=after, changes=lock_changes(before=before, after=after)
    )


def write_lock(comparison: LockComparison) -> None:
    """Write what AWS says, whole or not at all."""
    path = comparison.path
    passing = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        passing.write_text(lock_text(comparison.after), encoding="utf-8")
        passing.replace(path)
    finally:
        with suppress(FileNotFoundError):
            passing.unlink()


def ended_blocks(lock: LockFile, *, now: datetime) -> tuple[str, ...]:
    """Reservations whose end has passed: nothing will be launched from them again."""
    return tuple(
        sorted(name for name, row in lock.reservations.items() if row.end is not None and row.end <= now)
    )


def lock_text(lock: LockFile) -> str:
    """A lock file's text: the same bytes for the same content."""
    return lock.model_dump_json(indent=2) + "\n"


def _readable(file: Path) -> LockFile | None:
    with suppress(LockRefused):
        return read_lock(file)
    return None
