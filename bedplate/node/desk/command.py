"""``desk --bucket B``: look for questions in the result bucket and answer them, until told to end."""

from __future__ import annotations

import argparse
import sys
import threading
from pathlib import Path
from typing import Optional, Sequence

from bedplate.node import identity
from bedplate.node.bootstrap.command import prepare_environment
from bedplate.node.bootstrap.places import DESK, DESK_LOCK, PROGRAM
from bedplate.node.commands import COMMANDS
from bedplate.node.desk.bucket import AwsBucket
from bedplate.node.desk.desk import Desk
from bedplate.node.desk.journal import Journal
from bedplate.node.file_lock import take_lock
from bedplate.node.guardian import Guardian
from bedplate.node.process import STOP, Limits, ToolRun, run_tool

HELP = "answer questions that lie in the result bucket; on a node that no command can be sent to"
GRACE_SECONDS = 45.0
"""Between SIGTERM and SIGKILL: a program that runs jobs ends them first, and tells Slurm (``run_jobs``)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where the questions are."""
    parser.add_argument("--bucket", required=True, help="the result bucket")


def main(arguments: argparse.Namespace) -> int:
    """Serve until SIGTERM; 1 where the node does not know who it is, or another desk runs."""
    root = identity.node_root()
    prepare_environment(simulated=bool(root))
    try:
        instance_id = identity.instance_id()
    except identity.IdentityUnknownError as error:
        _say(str(error))
        return 1
    lock = take_lock(Path(root + DESK_LOCK))
    if lock is None:
        _say(f"another desk holds {DESK_LOCK}")
        return 1
    with lock, Guardian() as guardian:
        Desk(
            instance_id=instance_id,
            bucket=AwsBucket(arguments.bucket),
            journal=Journal(Path(root + DESK)),
            commands=tuple(COMMANDS),
            program=(sys.executable, root + PROGRAM),
            run=lambda argv, seconds, stop: run_order(argv, seconds, stop, guardian=guardian),
            stop=STOP,
            say=_say,
        ).serve()
    return 0


def run_order(
    argv: Sequence[str],
    deadline_seconds: float,
    stop: threading.Event,
    *,
    guardian: Optional[Guardian] = None,
) -> ToolRun:
    """In a process group of its own, which ends at the deadline, by ``stop``, and with this program."""
    limits = Limits(deadline_seconds, grace_seconds=GRACE_SECONDS)
    return run_tool(argv=argv, limits=limits, guardian=guardian, stop=stop)


def _say(text: str) -> None:
    """To the journal of systemd."""
    print(f"bedplate-desk: {text}", file=sys.stderr, flush=True)
