"""``run-jobs``: start several srun jobs at once on disjoint nodes, from the login node.

The scheduler places them (``--immediate``: a node that is not idle is refused, not waited for), each has a
deadline of its own. What overruns, or is running when this program is told to end or is killed (as by a
cancelled SSM command, see ``guardian``), is stopped with its whole process group: srun gets SIGTERM first, on
which it ends its job's tasks on the nodes ("forcing job termination"), and SIGKILL only ten seconds later.
"""

from __future__ import annotations

import argparse
import base64
import binascii
import gzip
import json
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import Any, Dict, List, Mapping, Tuple

from bedplate.node.collectives import BINARIES, PATHS, between_nodes_argv, between_nodes_environment
from bedplate.node.commands import COMMANDS
from bedplate.node.counted import counted
from bedplate.node.guardian import Guardian
from bedplate.node.identity import node_root
from bedplate.node.large_log import LOG_BYTES_A_RANK, THIN_FROM_BYTES, THINNED_BYTES_A_SECOND
from bedplate.node.places import extended_path
from bedplate.node.process import OUTPUT_LIMIT_BYTES, Limits, run_tool
from bedplate.node.stages.settings import ExerciseSettings, settings_from_json

HELP = "start several srun jobs at once on disjoint idle nodes; on the login node"
JOB_KINDS = ("exercise", "collective", "question")
QUESTIONS = tuple(command for command in COMMANDS if command != "run-jobs")
"""What a job of kind ``question`` may ask its node: never a command of the node's own."""
_IMMEDIATE_SECONDS = 30
_CANCEL_SECONDS = 20.0
MOST_JOBS_AT_ONCE = 1024
"""Each is an srun of its own, with a thread that watches it; what is beyond would wait for its turn."""


class JobsRefusedError(Exception):
    """The list of jobs cannot be run as it is."""


@dataclass(frozen=True)
class Job:
    """One srun: ``nodes`` are Slurm node names, ``deadline_seconds`` counts from its start."""

    job_id: str
    kind: str
    nodes: Tuple[str, ...]
    deadline_seconds: float
    gpus: int = 8
    collective: str = "all_reduce"
    exercise: ExerciseSettings = field(default_factory=ExerciseSettings)
    partition: str = ""
    folder: str = ""
    """Where the nodes keep the collective's program, if not on PATH: the login node may have none."""
    path: str = ""
    """What must carry a collective between nodes that share NVLink: ``efa`` or ``nvlink``."""
    arguments: Tuple[str, ...] = ()
    """Of a question: the node program's command with its options, without the nonce."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The jobs: base64 of a JSON list, gzip inside or not (the SSM parameter has a restrictive pattern)."""
    parser.add_argument("--jobs", required=True)
    parser.add_argument("--slurm", default="", help="the cluster's Slurm version, such as 25.11")
    parser.add_argument("--partition", default="", help="for all of the jobs, whatever theirs is")
    parser.add_argument("--qos", default="", help="for all of the jobs")


def run(arguments: argparse.Namespace) -> Dict[str, Any]:
    """Run all jobs at once; the answer has one entry a job, in order."""
    jobs = decode_jobs(arguments.jobs)
    with Guardian() as guardian, ThreadPoolExecutor(max_workers=min(len(jobs), MOST_JOBS_AT_ONCE)) as pool:
        return {"jobs": list(pool.map(lambda job: _run_one(job, arguments, guardian), jobs))}


def encode_jobs(jobs: List[Job]) -> str:
    """The jobs as ``--jobs`` takes them."""
    rows = [
        {
            "id": job.job_id,
            "kind": job.kind,
            "nodes": list(job.nodes),
            "deadline_s": job.deadline_seconds,
            "gpus": job.gpus,
            "collective": job.collective,
            "exercise": asdict(job.exercise),
            "partition": job.partition,
            "folder": job.folder,
            "path": job.path,
            "arguments": list(job.arguments),
        }
        for job in jobs
    ]
    data = json.dumps(rows, separators=(",", ":")).encode("utf-8")
    return base64.b64encode(gzip.compress(data, mtime=0)).decode("ascii")


def decode_jobs(text: str) -> List[Job]:
    """The jobs of ``--jobs``. Raises ``JobsRefusedError`` where they are none, unknown, or share a node."""
    try:
        data = base64.b64decode(text, validate=True)
        rows = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
        jobs = [_job(row) for row in rows]
    except (binascii.Error, ValueError, OSError, EOFError, KeyError, TypeError) as error:
        raise JobsRefusedError(f"--jobs cannot be read: {error}") from error
    nodes = [node for job in jobs for node in job.nodes]
    if not jobs or not all(job.nodes for job in jobs):
        raise JobsRefusedError("no job, or a job without nodes")
    if len(set(nodes)) != len(nodes):
        raise JobsRefusedError("two jobs share a node: they would measure each other")
    return jobs


def _job(row: Mapping[str, Any]) -> Job:
    job = Job(
        job_id=str(row["id"]),
        kind=str(row["kind"]),
        nodes=tuple(str(node) for node in row["nodes"]),
        deadline_seconds=float(row["deadline_s"]),
        gpus=int(row.get("gpus", 8)),
        collective=str(row.get("collective", "all_reduce")),
        exercise=settings_from_json(row.get("exercise", {})),
        partition=str(row.get("partition", "")),
        folder=str(row.get("folder", "")),
        path=str(row.get("path", "")),
        arguments=tuple(str(word) for word in row.get("arguments", ())),
    )
    if job.kind not in JOB_KINDS or job.collective not in BINARIES or job.path not in PATHS:
        raise ValueError(f"unknown kind {job.kind!r}, collective {job.collective!r} or path {job.path!r}")
    if job.kind == "question" and (job.arguments[:1] or ("",))[0] not in QUESTIONS:
        raise ValueError(f"a job asks {job.arguments[:1]}; allowed: {', '.join(QUESTIONS)}")
    return job


def job_name(job: Job, *, nonce: str) -> str:
    """A name that no other job has, by which this one can be ended."""
    return f"bedplate-{nonce[:16]}-{job.job_id}"


def srun_argv(job: Job, *, nonce: str) -> Tuple[str, ...]:
    """The command of one job.

    An exercise or a question is one task a node; its lines are not labelled, since each task prints an
    envelope of its own. It has all GPUs of its node: a device cgroup hides those that a job was not given.
    """
    ranks = job.gpus if job.kind == "collective" else 1
    head = (
        "srun",
        "--nodelist=" + ",".join(job.nodes),
        f"--nodes={len(job.nodes)}",
        f"--ntasks-per-node={ranks}",
        # Slurm refuses a request for none.
        *((f"--gpus-per-node={job.gpus}",) if job.gpus else ()),
        "--exclusive",
        f"--job-name={job_name(job, nonce=nonce)}",
        # One task that fails ends all: its peers would wait for it until the deadline.
        "--kill-on-bad-exit=1",
        f"--immediate={_IMMEDIATE_SECONDS}",
        # Slurm ends the job itself if this program is killed before it can.
        f"--time={math.ceil(job.deadline_seconds / 60) + 1}",
    )
    if job.kind == "collective":
        return (*head, "--mpi=pmix", "--label", *counted(between_nodes_argv(collective=job.collective)))
    program = node_root() + "/opt/bedplate/bedplate-node.pyz"
    if job.kind == "question":
        command, *options = job.arguments
        return (*head, "python3", program, command, "--nonce", nonce, *options)
    return (*head, "python3", program, "exercise", "--nonce", nonce, "--settings", job.exercise.encode())


def job_limits(job: Job) -> Limits:
    """A collective's log grows with its ranks, and is thinned; what other jobs print is an answer."""
    if job.kind != "collective":
        return Limits(job.deadline_seconds)
    ranks = len(job.nodes) * job.gpus
    return Limits(job.deadline_seconds, log_bytes=max(OUTPUT_LIMIT_BYTES, ranks * LOG_BYTES_A_RANK))


def thinning_seconds(job: Job) -> float:
    """How long it may take to thin the job's log, once it has ended; 0 where it stays whole."""
    log_bytes = len(job.nodes) * job.gpus * LOG_BYTES_A_RANK if job.kind == "collective" else 0
    return log_bytes / THINNED_BYTES_A_SECOND if log_bytes > THIN_FROM_BYTES else 0.0


def _run_one(job: Job, arguments: argparse.Namespace, guardian: Guardian) -> Dict[str, Any]:
    environment = between_nodes_environment(path=job.path) if job.kind == "collective" else {}
    # srun reads them as --partition and --qos; the pool's own partition need not be the default one.
    wanted = {"SLURM_PARTITION": arguments.partition or job.partition, "SLURM_QOS": arguments.qos}
    environment.update({name: value for name, value in wanted.items() if value})
    # srun hands its PATH on to the tasks, and looks for a program here first.
    environment["PATH"] = extended_path(first=(job.folder,), slurm=arguments.slurm)
    argv = srun_argv(job, nonce=arguments.nonce)
    limits = job_limits(job)
    ran = run_tool(argv=argv, limits=limits, environment=environment, guardian=guardian)
    if ran.problem:
        # srun ends its job on SIGTERM; where it had no time for that, Slurm is told.
        cancel = ("scancel", f"--name={job_name(job, nonce=arguments.nonce)}")
        run_tool(argv=cancel, limits=Limits(_CANCEL_SECONDS, despite_stop=True), environment=environment)
    return {"id": job.job_id, "kind": job.kind, "nodes": list(job.nodes), **ran.as_json()}
