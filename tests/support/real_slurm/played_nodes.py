"""SIMULATED nodes under a real Slurm: its tasks run on them as if each were a machine of its own.

Slurm, its clients, its daemons and the tasks are real processes. What is played: the tools of the nodes, and
the collectives, whose ranks Slurm starts (``played_rank``). A task gets its node's environment from a
TaskProlog, which Slurm runs before it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
from pathlib import Path

from bedplate.sandbox.fleet.tools.names import COLLECTIVE_TOOLS
from tests.bench.faults.cluster import LOGIN, Cluster
from tests.bench.faults.transports import DirectTransport, process_transport
from tests.support.real_slurm import played_rank
from tests.support.real_slurm.cluster import RealSlurm
from tests.support.real_slurm.config import node_address

CLIENTS = ("sacctmgr", "scancel", "scontrol", "sinfo", "squeue", "srun")


class PlayedNodes:
    """The nodes of ``cluster`` as those of ``slurm``, whose TaskProlog is ``task_prolog(folder)``."""

    def __init__(self, cluster: Cluster, slurm: RealSlurm, folder: Path) -> None:
        self.cluster, self.slurm, self._folder = cluster, slurm, folder
        self._fleet = folder / "state/fleet"
        for number in range(cluster.size):
            instance_id = cluster.node_id(number)
            self._write_environment(slurm.nodes[number], instance_id)
            self._take_ranks(self._fleet / instance_id)
        self._take_clients(self._fleet / LOGIN / "bin")

    def transport(self) -> DirectTransport:
        """Questions to the nodes as processes; multi-node runs go from the login node to Slurm."""
        return process_transport(self.cluster)

    def pause(self) -> None:
        """Let no collective go on from its first line, until ``go_on``."""
        (self._fleet / played_rank.PAUSE).touch()

    def go_on(self) -> None:
        """Let them go on."""
        (self._fleet / played_rank.PAUSE).unlink(missing_ok=True)

    def lose(self, name: str) -> None:
        """A node is gone at once: its slurmd, its step daemons and their tasks."""
        self.slurm.lose_node(name)
        for pid in self._of_node(name):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def ranks(self, *, between_nodes: bool = False) -> list[int]:
        """Ids of the processes of this cluster's collectives that run now, all or those between nodes alone:
        another test's cluster may run beside it.
        """
        fleet = str(self._fleet)
        found = [path.parent for path in Path("/proc").glob("[0-9]*/cmdline") if _is_rank(path, fleet)]
        return [int(each.name) for each in found if not between_nodes or _is_between_nodes(each)]

    def _of_node(self, name: str) -> list[int]:
        """Its tasks, and the daemons that Slurm started for them; other clusters have such a node too."""
        own, node = (str(self._fleet).encode(), str(self.slurm.conf).encode()), f"SLURMD_NODENAME={name}"
        tasks = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                found = path.read_bytes()
                if node.encode() in found.split(b"\0") and any(each in found for each in own):
                    tasks.append(int(path.parent.name))
        parents = {parent for task in tasks if (parent := _step_daemon(task)) is not None}
        return [*parents, *tasks]

    def _write_environment(self, name: str, instance_id: str) -> None:
        folder = self._folder / "task-environment"
        folder.mkdir(exist_ok=True)
        whole = self.cluster.fleet._node(instance_id).environment
        lines = [f"export {key}={value}" for key, value in whole.items()]
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _take_ranks(self, node: Path) -> None:
        for tool in COLLECTIVE_TOOLS:
            _script(
                node / "bin" / tool, f'exec {sys.executable} -E "{played_rank.__file__}" "{node}" {tool} "$@"'
            )

    def _take_clients(self, folder: Path) -> None:
        for name in CLIENTS:
            found = shutil.which(name)
            if found:
                _script(folder / name, f'SLURM_CONF="{self.slurm.conf}" exec {found} "$@"')


def task_prolog(folder: Path) -> str:
    """The place of a program that gives each task the environment of its node (slurm.conf: TaskProlog)."""
    place = folder / "task-prolog"
    _script(place, f'exec /bin/cat "{folder}/task-environment/$SLURMD_NODENAME"')
    return str(place)


def address(index: int) -> str:
    """Of the node with this index from 0, as Slurm has it too."""
    return node_address(index + 1)


def _script(place: Path, line: str) -> None:
    place.unlink(missing_ok=True)
    place.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
    place.chmod(0o755)


def _is_rank(path: Path, fleet: str) -> bool:
    try:
        words = path.read_bytes()
        return played_rank.__file__.encode() in words and fleet.encode() in words
    except OSError:
        return False


def _is_between_nodes(process: Path) -> bool:
    try:
        return b"SLURM_STEP_NUM_NODES=1" not in (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return False


def _step_daemon(pid: int) -> int | None:
    """The slurmstepd that started a task, however far above it."""
    while pid > 1:
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None
        name, rest = stat.rsplit(")", 1)
        if "slurmstepd" in name:
            return pid
        pid = int(rest.split()[1])
    return None
