"""``squeue --noheader --format=%L|%j``: the time left and the name of each job; and ``squeue --noheader --all
--array --format=%T|%P``: the state and partition of each.
"""

from __future__ import annotations

import time

from bedplate.sandbox.fleet.allocation import running_jobs
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth, read_fleet

_ARGUMENTS = ["--noheader", "--format=%L|%j"]
_STATES = ["--noheader", "--all", "--array", "--format=%T|%P"]


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    if arguments not in (_ARGUMENTS, _STATES):
        raise ToolRefused(f"the simulated squeue takes {' '.join(_ARGUMENTS)} alone", 1)
    fleet = read_fleet(node.folder.parent).values()
    for job in running_jobs(each for each in fleet if each.slurm_name):
        partition = next((each.partitions[0] for each in fleet if each.partitions), "")
        say(f"RUNNING|{partition}" if arguments == _STATES else f"{_left(job.ends_at)}|{job.name}")
    return 0


def _left(ends_at: float | None) -> str:
    if ends_at is None:
        return "UNLIMITED"
    minutes, seconds = divmod(max(0, round(ends_at - time.time())), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}" if minutes >= 60 else f"{minutes}:{seconds:02}"
