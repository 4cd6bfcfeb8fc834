"""The kernel's table of mounts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import List, Optional, Tuple

_ESCAPE = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True)
class Mounted:
    """One line of ``/proc/mounts``."""

    source: str
    target: str
    kind: str
    options: Tuple[str, ...]


def read_mounts(text: str) -> List[Mounted]:
    """All mounts in order; lines with fewer than four fields are no mounts. proc(5), fstab(5)."""
    mounts = []
    for line in text.splitlines():
        fields = line.split()
        if len(fields) >= 4:
            source, target, kind, options = (_plain(field) for field in fields[:4])
            mounts.append(Mounted(source, target, kind, tuple(options.split(","))))
    return mounts


def mounted_at(text: str, target: str) -> Optional[Mounted]:
    """What is mounted at exactly this path: the last one, which lies over the others."""
    found = [mount for mount in read_mounts(text) if mount.target == target]
    return found[-1] if found else None


def _plain(field: str) -> str:
    """Space, tab, newline and backslash stand in the table as three octal digits."""
    return _ESCAPE.sub(lambda match: chr(int(match.group(1), 8)), field)
