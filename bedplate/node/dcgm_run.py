"""One run of ``dcgmi diag``, tried again where another one was under way."""

from __future__ import annotations

import time
from typing import Callable, Optional, Tuple

from bedplate.node.process import STOP, Limits, ToolRun, run_tool

BUSY = 217
"""DCGM_ST_DIAG_ALREADY_RUNNING, -39 modulo 256: nothing is wrong with the node."""
PAUSE_SECONDS = 30.0


def run_dcgmi_diag(
    argv: Tuple[str, ...],
    *,
    deadline_seconds: float,
    pause: Optional[Callable[[float], object]] = None,
) -> ToolRun:
    """The last run within the deadline, which covers all tries; ``pause`` waits between two of them."""
    wait = pause or STOP.wait
    begun = time.monotonic()
    while True:
        left = deadline_seconds - (time.monotonic() - begun)
        run = run_tool(argv=argv, limits=Limits(max(left, 0.0)))
        left = deadline_seconds - (time.monotonic() - begun)
        if run.rc != BUSY or left <= PAUSE_SECONDS or STOP.is_set():
            return run
        wait(PAUSE_SECONDS)
