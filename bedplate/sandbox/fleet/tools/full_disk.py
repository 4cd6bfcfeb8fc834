"""A tool's output on a disk that is full: what still fits is there, the rest is lost, the tool complains."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from contextlib import redirect_stdout

from bedplate.sandbox.fleet.truth import NodeTruth

WRITE_ERROR = 1


def on_full_disk(play: Callable[[], int], *, node: NodeTruth) -> int:
    """Play a tool whose output goes to a file of that disk; its exit code is that of a failed write."""
    text = io.StringIO()
    with redirect_stdout(text):
        code = play()
    whole = text.getvalue()
    kept = whole.encode("utf-8")[: node.effects.disk_full_after_bytes].decode("utf-8", errors="ignore")
    sys.stdout.write(kept)
    sys.stdout.flush()
    if kept == whole:
        return code
    sys.stderr.write("write error: No space left on device\n")
    return code or WRITE_ERROR
