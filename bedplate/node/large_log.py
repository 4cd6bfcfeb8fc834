"""The log of a collective over many nodes: how long it may become, where it lies meanwhile, what is read.

A log of up to ``THIN_FROM_BYTES`` is handed on as it is. A longer one is thinned (``thin_log``), so that what
is handed on grows by some hundred bytes a rank and not by 20 to 60 KB.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, List, Optional, Tuple

MEBIBYTE = 1 << 20
THIN_FROM_BYTES = 16 * MEBIBYTE
"""What some hundred ranks print: the logs of ordinary clusters stay whole."""
LOG_BYTES_A_RANK = 128 * 1024
"""Twice what a rank prints with NCCL_DEBUG=INFO for INIT and NET at the most (20 to 60 KB)."""
THINNED_BYTES_A_SECOND = 20_000_000
"""On one core, by a login node that is not slower than what this was measured on."""
LEAST_ROOM_BYTES = 1024 * MEBIBYTE
"""Must stay free on the disk beside the log: it is the login node's, which others use too."""


def log_folder() -> Optional[str]:
    """Where a long log lies: /tmp may be memory (tmpfs), /var/tmp is a disk. None is Python's own choice."""
    folder = os.environ.get("TMPDIR") or "/var/tmp"  # noqa: S108 the file in it has no name
    return folder if Path(folder).is_dir() and os.access(folder, os.W_OK | os.X_OK) else None


def lacks_room(stream: IO[bytes]) -> str:
    """Why the log may not grow, where its disk is nearly full; empty where it may."""
    disk = os.fstatvfs(stream.fileno())
    if disk.f_bavail * disk.f_frsize >= LEAST_ROOM_BYTES:
        return ""
    least = LEAST_ROOM_BYTES // MEBIBYTE
    return f"the disk under the log has less than {least} MiB left"


def read_thinned(stream: IO[bytes], *, most_bytes: int) -> Tuple[str, bool]:
    """What is kept of the stream from where it stands, cut at ``most_bytes``; and whether it was cut."""
    # Parsers are many: every program that starts a tool would wait for their import, and few read a log.
    from bedplate.diagnosis.parsers.lines import read_pieces
    from bedplate.node.thin_log import thinned

    kept: List[bytes] = []
    left = most_bytes
    for piece in thinned(read_pieces(stream)):
        data = piece.encode("utf-8")
        kept.append(data[:left])
        left -= len(data)
        if left < 0:
            break
    return b"".join(kept).decode("utf-8", errors="replace"), left < 0
