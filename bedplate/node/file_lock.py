"""One program at a time."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import IO, Optional


def take_lock(path: Path) -> Optional[IO[str]]:
    """The lock, held until it is closed; None where another program has it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("w", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file
