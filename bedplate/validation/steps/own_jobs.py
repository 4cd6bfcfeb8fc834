"""Jobs of the run that is gone on with, which may still be on the nodes: they are told by their names."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.squeue import QueuedJob, parse_squeue
from bedplate.diagnosis.tools import find_run
from bedplate.node.scheduler import QUEUE

OPTION = "--queue"
"""What has the login node tell its queue beside its nodes."""
MARGIN_SECONDS = 60.0
"""Beside the time that Slurm gives a job: to end its tasks, and to run its epilog."""
NONCE_CHARACTERS = 16
"""Of a command's nonce, as ``bedplate.node.run_jobs.job_name`` has them in a job's name."""
UNTOLD_SECONDS = 600.0
"""For a job whose end Slurm does not tell."""


def own_jobs(body: Mapping[str, Any], nonces: Collection[str]) -> tuple[QueuedJob, ...] | None:
    """Those whose names hold a nonce of this run, and so no other run's nor a user's; None where the queue
    cannot be read.
    """
    run = find_run(answer=body, argv=QUEUE)
    if run is None or run.problem():
        return None
    marks = tuple(f"bedplate-{nonce[:NONCE_CHARACTERS]}-" for nonce in nonces)
    try:
        return tuple(job for job in parse_squeue(run.stdout) if job.name.startswith(marks))
    except ParseError:
        return None


def seconds_until_gone(jobs: Collection[QueuedJob]) -> float:
    """When the last of them has ended by its own time limit."""
    told = (UNTOLD_SECONDS if job.seconds_left is None else float(job.seconds_left) for job in jobs)
    return max(told) + MARGIN_SECONDS
