"""What the job script and a training program agree on: which checkpoint is whole, and when all is done.

A checkpoint is a folder ``step-NUMBER``. It is written under another name and renamed when all of it is on
the disk, so that whatever ends the writing leaves nothing that looks like a checkpoint. Standard library.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

_COMPLETE = re.compile(r"step-([0-9]{9})")
_PARTIAL = ".partial-"
FINISHED = "finished"
KEPT = 3
"""Older checkpoints are deleted: one of a large model is terabytes."""


def newest(folder: Path) -> tuple[int, Path] | None:
    """The step and the folder of the last complete checkpoint, ``None`` where there is none."""
    found = _complete(folder)
    return found[-1] if found else None


def partial(folder: Path, step: int) -> Path:
    """Where to write a checkpoint; nothing of an earlier attempt is there. For one process to call."""
    path = folder / f"{_PARTIAL}{_name(step)}"
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def publish(folder: Path, step: int) -> Path:
    """Make what lies in ``partial`` the last complete checkpoint; for one process, once all have written."""
    written, complete = folder / f"{_PARTIAL}{_name(step)}", folder / _name(step)
    for path in (*written.rglob("*"), written):
        _to_disk(path)
    written.rename(complete)
    _to_disk(folder)
    for _, old in _complete(folder)[:-KEPT]:
        shutil.rmtree(old, ignore_errors=True)
    return complete


def clear(folder: Path) -> None:
    """Delete what interrupted writing has left; for one process, before any writes."""
    for path in folder.glob(f"{_PARTIAL}*"):
        shutil.rmtree(path, ignore_errors=True)


def finish(folder: Path) -> None:
    """Say that the training is done, so that its job is not queued again."""
    (folder / FINISHED).touch()


def _name(step: int) -> str:
    return f"step-{step:09}"


def _complete(folder: Path) -> list[tuple[int, Path]]:
    matches = ((_COMPLETE.fullmatch(path.name), path) for path in folder.glob("step-*") if path.is_dir())
    return sorted((int(match[1]), path) for match, path in matches if match)


def _to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
