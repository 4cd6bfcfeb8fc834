"""The epilog's part: end the job's domain, so that the next job's nodes meet nothing of it."""

from __future__ import annotations

import os
import time
from typing import Mapping

from bedplate.node.imex.job import job_of
from bedplate.node.imex.mark import marked_job, unmark
from bedplate.node.imex.places import PEERS, on_node, write_whole
from bedplate.node.imex.service import STOP_SECONDS, Service


def take_down(environment: Mapping[str, str] = os.environ) -> str:
    """End it, where the node's domain is this job's; what could not be done, or nothing. The next prolog
    stops the service all the same.
    """
    job = job_of(environment)
    if job is None or marked_job() != job.number:
        return ""
    problem = Service(until=time.monotonic() + STOP_SECONDS).stop()
    if problem:
        return problem
    try:
        write_whole(on_node(PEERS), "")  # a service that somebody starts by mistake finds no peers
    except OSError as error:
        return f"the list of IMEX's nodes cannot be emptied: {error}"
    unmark()
    return ""
