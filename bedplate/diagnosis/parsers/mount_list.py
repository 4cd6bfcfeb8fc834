"""``findmnt --json --list``: what is mounted where (util-linux; keys as in findmnt(8))."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Optional

from bedplate.diagnosis.parsers.problem import ParseError

TOOL = "findmnt"


@dataclass(frozen=True)
class MountedFileSystem:
    """One mount: ``source`` as the kernel tells it, ``kind`` such as ``lustre`` or ``nfs4``."""

    target: str
    source: str
    kind: str
    options: tuple[str, ...]


@dataclass(frozen=True)
class MountList:
    """All mounts in the kernel's order."""

    mounts: tuple[MountedFileSystem, ...]

    def at(self, target: str) -> Optional[MountedFileSystem]:  # noqa: UP045 - the node runs Python 3.9
        """What lies at exactly this path: the last one, which covers the others; None where nothing does."""
        found = [mount for mount in self.mounts if mount.target == target]
        return found[-1] if found else None


def parse_mount_list(text: str) -> MountList:
    """Read the JSON; ParseError for any other shape, and for a list without the root, which is always
    mounted.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ParseError(tool=TOOL, reason="it is no JSON") from error
    rows = data.get("filesystems") if isinstance(data, dict) else None
    if not isinstance(rows, list):
        raise ParseError(tool=TOOL, reason="there is no list of file systems in it")
    mounts = tuple(_mount(row, position) for position, row in enumerate(rows, start=1))
    if not any(mount.target == "/" for mount in mounts):
        raise ParseError(tool=TOOL, reason="the root is not in it, so it is not whole")
    return MountList(mounts)


def _mount(row: object, position: int) -> MountedFileSystem:
    if not isinstance(row, dict):
        raise ParseError(tool=TOOL, reason="an entry is no object", line=position)
    target, kind = row.get("target"), row.get("fstype")
    if not isinstance(target, str) or not isinstance(kind, str):
        raise ParseError(tool=TOOL, reason="an entry has no target or no type", line=position)
    source, options = row.get("source"), row.get("options")
    words = options.split(",") if isinstance(options, str) and options else []
    return MountedFileSystem(target, _device(source), kind, tuple(words))


def _device(source: object) -> str:
    """The source without the folder in brackets that a bind mount shows."""
    return source.partition("[")[0] if isinstance(source, str) else ""
