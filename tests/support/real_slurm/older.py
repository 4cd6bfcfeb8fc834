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


OLDER_SLURM_CANNOT: Mapping[str, Lacking] = {
    "TopologyPlugin=topology/block": Lacking(
        "23.11", "topology.conf(5) of 23.11.4; that of 22.05 has no blocks"
    ),
}
"""Setting → since when Slurm knows it. 22.05 loads all of slurm.conf that Bedplate sets; blocks, which
``set-topology --block-size`` writes, are held against Slurm's source alone (``nvlink_blocks``)."""


@dataclass(frozen=True)
class Unheld:
    """``why`` this kind of host does not hold a job to it; ``source`` says what it would do."""

    why: str
    source: str


_NO_CGROUPS = "needs a cgroup hierarchy that may be written to"
HOST_CANNOT: Mapping[str, Unheld] = {
    "ProctrackType=proctrack/cgroup": Unheld(
        f"{_NO_CGROUPS}, with the freezer", "slurm.conf(5), ProctrackType"
    ),
    "TaskPlugin=task/cgroup,task/affinity": Unheld(
        f"{_NO_CGROUPS}, and the processors that the nodes pretend", "slurm.conf(5), TaskPlugin"
    ),
    "JobAcctGatherType=jobacct_gather/cgroup": Unheld(_NO_CGROUPS, "slurm.conf(5), JobAcctGatherType"),
    "ConstrainCores=yes": Unheld("the nodes pretend 192 processors each", "cgroup.conf(5), ConstrainCores"),
    "ConstrainDevices=yes": Unheld(
        "the GPUs are devices of every host, such as /dev/null", "cgroup.conf(5), ConstrainDevices"
    ),
    "ConstrainRAMSpace=yes": Unheld(
        "the nodes pretend 2 TB of memory each", "cgroup.conf(5), ConstrainRAMSpace"
    ),
}
"""What the services set to hold jobs to their share. The base names plugins without cgroups in place of the
first three; cgroup.conf is empty."""


def loadable(settings: Mapping[str, str]) -> dict[str, str]:
    """The settings that the tests' Slurm knows."""
    return {name: value for name, value in settings.items() if f"{name}={value}" not in OLDER_SLURM_CANNOT}
