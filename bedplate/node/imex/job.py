"""The job that a prolog or an epilog runs for, from what slurmd tells it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Mapping, Optional

from bedplate.node.slurm_client import SlurmClient

_ALONE = {"SLURM_JOB_EXCLUSIVE": ("NODE", "TOPO"), "SLURM_JOB_OVERSUBSCRIBE": ("NO", "TOPO")}
"""Variable → what it says of a job that has its nodes alone. The first goes before the second: Slurm of 2026
has both, and NO of the second then says nothing of it (SchedMD/slurm, testsuite of ticket 20588). Up to 25.11
the second alone tells, NO for ``--exclusive`` and (null) for a job that left it to the partition. Both are
missing on 22.05, where Slurm is asked.
"""
_SHOWN_ALONE = re.compile(
    r"(?:^|\s)(?:OverSubscribe=(?:NO|TOPO)(?!\S)(?!.*\sExclusive=)|Exclusive=(?:NODE|TOPO)(?!\S))"
)
_NUMBER = re.compile(r"^[0-9]{1,10}$")


@dataclass(frozen=True)
class Job:
    """``nodes`` in Slurm's short form. ``has_nodes_alone`` is None where slurmd does not tell."""

    number: int
    nodes: str
    has_nodes_alone: Optional[bool]


def job_of(environment: Mapping[str, str]) -> Optional[Job]:
    """None where there is no job in it."""
    number = environment.get("SLURM_JOB_ID", "")
    nodes = environment.get("SLURM_JOB_NODELIST") or environment.get("SLURM_NODELIST", "")
    if not _NUMBER.match(number):
        return None
    alone = next(
        (environment[name].upper() in words for name, words in _ALONE.items() if environment.get(name)), None
    )
    return Job(int(number), nodes, alone)


def has_nodes_alone(job: Job, slurm: SlurmClient) -> Optional[bool]:
    """Whether no other job is on its nodes; None where neither slurmd nor slurmctld tells."""
    if job.has_nodes_alone is not None:
        return job.has_nodes_alone
    shown = slurm.scontrol("show", "job", "-o", str(job.number))
    if shown.rc != 0 or "OverSubscribe=" not in shown.stdout:
        return None
    return _SHOWN_ALONE.search(shown.stdout) is not None
