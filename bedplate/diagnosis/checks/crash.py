"""Whether a collective ended by crashing, and what its log says of why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bedplate.diagnosis.checks.collective_run import CollectiveRun
from bedplate.diagnosis.parsers.launch_failures import CRASH
from bedplate.diagnosis.parsers.nccl_failures import Meaning, meaning_of

COLLECTIVE_CRASH = "collective-crash"
# Somebody ended the job, or srun ended the other tasks: by itself no sign that a program went wrong.
_ENDED_FROM_OUTSIDE = re.compile(
    r"CANCELLED|Job step aborted|Force Terminated|: Terminated|Exited with exit code (?:143|137)\b|: Killed"
)


@dataclass(frozen=True)
class Crash:
    """``told`` is what the log says of it, as a clause; ``mend`` is empty where no line of it is known."""

    told: str
    mend: str


def crash_of(run: CollectiveRun) -> Crash | None:
    """The crash of a run that ended by itself with a bad status, before its table was whole; None for every
    other run. One that was cancelled or killed from outside is none, unless a line says why it was.
    """
    if run.table is None or run.hung or run.launch_failed or not run.rc or run.table.complete:
        return None
    lines = [one.text for one in run.table.failures if one.kind == CRASH]
    own = [line for line in lines if not _ENDED_FROM_OUTSIDE.search(line)]
    meaning = _first_cause(_meanings(run))
    if not own and (meaning is None or not lines):
        return None
    if meaning is not None:
        return Crash(meaning.text, meaning.mend)
    return Crash(own[0], "")


def _meanings(run: CollectiveRun) -> Iterator[Meaning]:
    if run.info is not None:
        yield from (one.meaning for one in run.info.failures)
    yield from (found for found in map(meaning_of, run.failure_lines()) if found is not None)


def _first_cause(meanings: Iterable[Meaning]) -> Meaning | None:
    """The first that is no mere report of another rank's end; else the first report."""
    known = list(meanings)
    return next((one for one in known if not one.reports_another), known[0] if known else None)
