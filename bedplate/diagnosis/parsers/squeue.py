"""What runs and waits, from ``squeue --noheader --format=%L|%j``: the time left and the name of each job.

The name stands last, since a user's may hold anything. Source: squeue(1), ``--format`` and its fields.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import clean_lines

TOOL = "squeue"

_LEFT = re.compile(r"(?:(?:(\d+)-)?(\d+):)?(\d+):(\d\d)", re.ASCII)


@dataclass(frozen=True)
class QueuedJob:
    """A job that runs, waits or is ending; ``seconds_left`` is None where it has no end that is known."""

    name: str
    seconds_left: int | None


def parse_squeue(text: str) -> tuple[QueuedJob, ...]:
    """Read all jobs, none where nothing runs. ParseError where a line is none of a job."""
    jobs = []
    for number, line in enumerate(clean_lines(text), start=1):
        if not line.strip():
            continue
        left, bar, name = line.strip().partition("|")
        if not bar:
            raise ParseError(tool=TOOL, reason="a line has no time left before a name", line=number)
        jobs.append(QueuedJob(name, _seconds(left)))
    return tuple(jobs)


def _seconds(text: str) -> int | None:
    """``D-HH:MM:SS`` with its front left out; None for UNLIMITED, INVALID and NOT_SET."""
    found = _LEFT.fullmatch(text.strip())
    if found is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds
