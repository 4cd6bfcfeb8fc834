"""Lines of ``/etc/fstab`` that mount what the bootstrap mounts itself. Text in, text out."""

from __future__ import annotations

from typing import Collection, List, Tuple


def without_paths(text: str, paths: Collection[str]) -> Tuple[str, List[str]]:
    """The table without the lines whose mount point is one of ``paths``, and those mount points in their
    order; comments, blank lines and everything else stay as they are. fstab(5).
    """
    kept, found = [], []
    for line in text.splitlines(keepends=True):
        fields = line.split()
        target = fields[1].rstrip("/") if len(fields) > 1 and not line.lstrip().startswith("#") else ""
        if target and target in {path.rstrip("/") for path in paths}:
            found.append(target)
        else:
            kept.append(line)
    return "".join(kept), found
