"""Run a program for real, once a task, each with its node's own environment, as one job step."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from bedplate.sandbox.fleet.layout import node_environment
from bedplate.sandbox.fleet.tools.output import complain
from bedplate.sandbox.fleet.truth import NodeTruth

# What a job takes along from where srun was called; the rest is the node's own.
_NOT_PASSED_ON = (
    "PATH",
    "BEDPLATE_ROOT",
    "HOME",
    "TMPDIR",
    "HOSTNAME",
    "BEDPLATE_IMDS_ENDPOINT",
    "BEDPLATE_SANDBOX_S3",
    "BEDPLATE_SANDBOX_S3_LIST",
)


def run_tasks(
    *, nodes: Sequence[NodeTruth], tasks_per_node: int, command: Sequence[str], label: bool, caller_root: Path
) -> int:
    """Start all tasks at once and wait for all; returns the highest exit code, as srun does.

    ``caller_root`` is the root tree of the node that srun was called on: paths below it mean the same path on
    each task's node. Tasks stay in this process's group, so that whoever ends the group ends them.
    """
    lock = threading.Lock()
    width = len(str(len(nodes) * tasks_per_node - 1))
    codes: list[int] = []
    workers = []
    for number in range(len(nodes) * tasks_per_node):
        node = nodes[number // tasks_per_node]
        task = _Task(
            number, node, number % tasks_per_node, len(nodes), f"{number:0{width}d}: " if label else ""
        )
        workers.append(
            threading.Thread(target=lambda task=task: codes.append(task.run(command, caller_root, lock)))
        )
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return max(codes, default=0)


class _Task:
    """One task of the step."""

    def __init__(self, number: int, node: NodeTruth, local: int, nodes: int, prefix: str) -> None:
        self._number, self._node, self._local, self._nodes, self._prefix = number, node, local, nodes, prefix

    def run(self, command: Sequence[str], caller_root: Path, lock: threading.Lock) -> int:
        """Run to the end; what it prints comes out whole lines at a time."""
        environment = self._environment()
        argv = [self._here(word, caller_root) for word in command]
        program = _which(argv[0], environment["PATH"])
        if program is None:
            complain(
                f"slurmstepd: error: execve(): {argv[0]}: No such file or directory",
                f"srun: error: {self._node.slurm_name}: task {self._number}: Exited with exit code 2",
            )
            return 2
        process = subprocess.Popen(
            [program, *argv[1:]],
            env=environment,
            cwd=self._node.root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        streams = [
            threading.Thread(target=self._copy, args=(process.stdout, sys.stdout, lock)),
            threading.Thread(target=self._copy, args=(process.stderr, sys.stderr, lock)),
        ]
        for stream in streams:
            stream.start()
        for stream in streams:
            stream.join()
        code = process.wait()
        code = 128 - code if code < 0 else code
        if code:
            complain(
                f"srun: error: {self._node.slurm_name}: task {self._number}: Exited with exit code {code}"
            )
        return code

    def _copy(self, source: IO[str], target: IO[str], lock: threading.Lock) -> None:
        """Without labels a task's output is kept together, so that an envelope is never cut by another's."""
        if not self._prefix:
            text = source.read()
            with lock:
                target.write(text)
                target.flush()
            return
        for line in source:
            with lock:
                target.write(self._prefix + line.rstrip("\n") + "\n")
                target.flush()

    def _environment(self) -> dict[str, str]:
        passed = {name: value for name, value in os.environ.items() if name not in _NOT_PASSED_ON}
        return {
            **passed,
            **node_environment(self._node, {}),
            "SLURM_PROCID": str(self._number),
            "SLURM_LOCALID": str(self._local),
            "SLURM_NNODES": str(self._nodes),
            "SLURMD_NODENAME": str(self._node.slurm_name),
        }

    def _here(self, word: str, caller_root: Path) -> str:
        """A path of the caller's tree, or an absolute path that the node's own tree has, on this node."""
        if word.startswith(f"{caller_root}/"):
            return str(self._node.root) + word[len(str(caller_root)) :]
        inside = Path(f"{self._node.root}{word}")
        return str(inside) if word.startswith("/opt/") and inside.exists() else word


def _which(program: str, path: str) -> str | None:
    if "/" in program:
        return program if os.access(program, os.X_OK) else None
    places = (f"{place}/{program}" for place in path.split(os.pathsep))
    return next((place for place in places if os.access(place, os.X_OK)), None)
