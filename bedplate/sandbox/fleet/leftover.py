"""Processes that a stopped collective leaves on a simulated node's GPUs, for a while."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

_FILE = "gpu_processes.json"


def hold_gpus(folder: Path, *, pid: int, name: str, lingers_seconds: float) -> None:
    """From now on ``pid`` is on the node's GPUs, and for ``lingers_seconds`` after it has ended."""
    data = {"pid": pid, "name": name, "lingers_seconds": lingers_seconds, "ended_at": None}
    (folder / _FILE).write_text(json.dumps(data), encoding="utf-8")


def gpu_process(folder: Path) -> tuple[int, str] | None:
    """(pid, name) of the process that is on the GPUs now; None where there is none any more."""
    path = folder / _FILE
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    moment = time.monotonic()  # the same for all processes of a machine
    if not _alive(int(data["pid"])):
        if data["ended_at"] is None:
            data["ended_at"] = moment
            path.write_text(json.dumps(data), encoding="utf-8")
        if moment - float(data["ended_at"]) >= float(data["lingers_seconds"]):
            path.unlink(missing_ok=True)
            return None
    return int(data["pid"]), str(data["name"])


def _alive(pid: int) -> bool:
    if pid == os.getpid():
        return False  # stand-ins that are called in one process come one after the other
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
