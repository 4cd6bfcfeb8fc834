"""What the tests' Slurm and this kind of host cannot do of what Bedplate sets; the tests assert both lists.

Slurm here is Debian's 22.05; the services run 24.05 and later. A row goes once what stands in it is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SLURM = "22.05"


@dataclass(frozen=True)
class Lacking:
    """``since`` is the first version of Slurm that knows it; ``source`` says so."""

    since: str
    source: str


OLDER_SLURM_CANNOT: Mapping[str, Lacking] = {}
"""Parameter of ours → since when Slurm knows it. Empty: 22.05 loads all that Bedplate sets."""

HOST_CANNOT: Mapping[str, str] = {
    "ProctrackType=proctrack/cgroup": "needs a cgroup hierarchy that may be written to, with the freezer",
    "TaskPlugin=task/cgroup,task/affinity": "needs the same, and the processors that the nodes pretend",
    "JobAcctGatherType=jobacct_gather/cgroup": "needs the same",
    "ConstrainCores=yes": "the nodes pretend 192 processors each",
    "ConstrainDevices=yes": "the GPUs are devices of every host, such as /dev/null",
    "ConstrainRAMSpace=yes": "the nodes pretend 2 TB of memory each",
}
"""What the services set to hold jobs to their share → why it is not held here. The base names plugins that
need no cgroup in place of the first three; cgroup.conf is empty."""


def loadable(settings: Mapping[str, str]) -> dict[str, str]:
    """The settings that the tests' Slurm knows."""
    return {name: value for name, value in settings.items() if name not in OLDER_SLURM_CANNOT}
