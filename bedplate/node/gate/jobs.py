"""The gate's jobs, each in a reservation of the gate: the node program on one node, NCCL over two."""

from __future__ import annotations

import secrets
from typing import Dict, Optional, Tuple

from bedplate.diagnosis.parsers.scontrol import SlurmNode
from bedplate.hardware import UnknownInstanceType, instance_type
from bedplate.node.bootstrap.places import PROGRAM
from bedplate.node.collectives import between_nodes_environment
from bedplate.node.gate.judge import PairVerdict, judge_pair, not_run, path_of
from bedplate.node.gate.told import NotToldError, Told, read_told
from bedplate.node.guardian import Guardian
from bedplate.node.identity import node_root
from bedplate.node.process import Limits, ToolRun, run_tool
from bedplate.node.run_jobs import Job, job_limits, job_name, srun_argv

_IMMEDIATE_SECONDS = 30
_SMALL_SECONDS = 90.0
_CANCEL_SECONDS = 20.0


class GateJobs:
    """``path`` is the PATH with Slurm's clients; ``pair_seconds`` bounds a collective with its launch."""

    def __init__(self, *, path: str, guardian: Guardian, pair_seconds: float) -> None:
        self._path, self._guardian, self._pair_seconds = path, guardian, pair_seconds
        self._nonce = secrets.token_hex(8)

    def ask(self, node: SlurmNode, *, reservation: str) -> Tuple[Optional[Told], str]:
        """What the node tells of itself; None, and why, where it tells nothing."""
        ran = self._small(node, reservation, "gate-check", "--nonce", self._nonce)
        if ran.rc != 0:
            return None, f"{node.name}: {(ran.stderr or ran.problem).strip()[-200:]}"
        try:
            return read_told(ran.stdout, node=node.name, nonce=self._nonce), ""
        except NotToldError as error:
            return None, str(error)

    def mark(self, node: SlurmNode, *, reservation: str, how: str, told: str) -> bool:
        """Open the gate of the node's boot; whether that was done."""
        return self._small(node, reservation, "mark-gate", "--how", how, "--because", told).rc == 0

    def close(self, node: SlurmNode, *, reservation: str) -> bool:
        """Take the mark away."""
        return self._small(node, reservation, "mark-gate", "--close").rc == 0

    def collective(self, node: SlurmNode, one: Told, other: Told, *, reservation: str) -> PairVerdict:
        """All-reduce over both, judged; ``node`` is one of them."""
        try:
            kind = instance_type(one.instance_type)
        except UnknownInstanceType as error:
            return not_run(str(error))
        job = Job(
            job_id=f"gate-{one.name}",
            kind="collective",
            nodes=(one.name, other.name),
            deadline_seconds=self._pair_seconds,
            gpus=kind.gpus,
            folder=one.folder or other.folder,
            path=path_of(kind),
        )
        environment = {**between_nodes_environment(path=job.path), **self._environment(reservation, node)}
        if job.folder:
            # srun hands its PATH on to the tasks, and looks for a program here first.
            environment["PATH"] += f":{job.folder}"
        ran = run_tool(
            argv=srun_argv(job, nonce=self._nonce),
            limits=job_limits(job),
            environment=environment,
            guardian=self._guardian,
        )
        if ran.problem:
            self._cancel(job_name(job, nonce=self._nonce))
        return judge_pair(ran, names=(one.name, other.name), hosts=(one.hostname, other.hostname), kind=kind)

    def _small(self, node: SlurmNode, reservation: str, *words: str) -> ToolRun:
        """One task of the node program on one node."""
        name = f"bedplate-{self._nonce}-{words[0]}-{node.name}"
        argv = (
            "srun",
            f"--nodelist={node.name}",
            "--nodes=1",
            "--ntasks=1",
            "--exclusive",
            f"--immediate={_IMMEDIATE_SECONDS}",
            "--time=2",
            f"--job-name={name}",
            "python3",
            node_root() + PROGRAM,
            *words,
        )
        ran = run_tool(
            argv=argv,
            limits=Limits(_SMALL_SECONDS),
            environment=self._environment(reservation, node),
            guardian=self._guardian,
        )
        if ran.problem:
            self._cancel(name)
        return ran

    def _environment(self, reservation: str, node: SlurmNode) -> Dict[str, str]:
        """srun reads both as options; the node's partition need not be the default one."""
        found = {"PATH": self._path, "SLURM_RESERVATION": reservation}
        return {**found, "SLURM_PARTITION": node.partitions[0]} if node.partitions else found

    def _cancel(self, name: str) -> None:
        """srun ends its job on SIGTERM; where it had no time for that, Slurm is told."""
        run_tool(
            argv=("scancel", f"--name={name}"),
            limits=Limits(_CANCEL_SECONDS),
            environment={"PATH": self._path},
        )
