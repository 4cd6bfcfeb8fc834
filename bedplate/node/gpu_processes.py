"""``gpu-processes``: wait until no process is on the GPUs, and say what is left then, unjudged."""

from __future__ import annotations

import argparse
import time
from typing import Any, Dict

from bedplate.diagnosis.parsers.compute_apps import parse_compute_apps
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.tools import COMPUTE_APPS
from bedplate.node.process import STOP, Limits, ToolRun, run_tool

HELP = "wait until no process is on the GPUs; what is left at the end"
_PAUSE_SECONDS = 2.0
_DEADLINE_SECONDS = 30.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How long to wait for processes that are being ended."""
    parser.add_argument("--wait-seconds", type=float, default=60.0)


def run(arguments: argparse.Namespace) -> Dict[str, Any]:
    """The last look, as a tool's run."""
    begun = time.monotonic()
    while True:
        seen = run_tool(argv=COMPUTE_APPS, limits=Limits(_DEADLINE_SECONDS))
        waited = time.monotonic() - begun
        if not _in_use(seen) or waited >= arguments.wait_seconds or STOP.is_set():
            return {"tools": [seen.as_json()], "waited_seconds": round(waited, 1)}
        time.sleep(min(_PAUSE_SECONDS, max(arguments.wait_seconds - waited, 0.05)))


def _in_use(seen: ToolRun) -> bool:
    """Whether it is worth looking again: what cannot be read will not be better for waiting."""
    try:
        return seen.rc == 0 and bool(parse_compute_apps(seen.stdout))
    except ParseError:
        return False
