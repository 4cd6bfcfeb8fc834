"""``srun``: runs a program on idle nodes that it holds for as long as the program runs.

A program of nccl-tests is one collective over all the nodes, simulated in this process. Any other program
really runs, once a task, with the environment of its node.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from bedplate.sandbox.fleet.allocation import NodesBusy, RunningJob, allocate, slurm_state
from bedplate.sandbox.fleet.tools.counted_traffic import traffic_lines
from bedplate.sandbox.fleet.tools.job import Job
from bedplate.sandbox.fleet.tools.names import COLLECTIVE_TOOLS
from bedplate.sandbox.fleet.tools.nccl_arguments import parse as parse_nccl
from bedplate.sandbox.fleet.tools.nccl_tests import CUDA_ERROR, run_job
from bedplate.sandbox.fleet.tools.output import complain, say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.tools.srun_options import SrunOptions, parse
from bedplate.sandbox.fleet.tools.tasks import run_tasks
from bedplate.sandbox.fleet.truth import NodeTruth, read_fleet

_FOR_EVER_SECONDS = 10.0**9
_REFUSED = "srun: error: Unable to allocate resources: "


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    options = parse(arguments, os.environ)
    fleet = {each.slurm_name: each for each in read_fleet(node.folder.parent).values() if each.slurm_name}
    nodes = _select(options, fleet)
    wait = _FOR_EVER_SECONDS if options.wait_seconds is None else options.wait_seconds
    if any(slurm_state(each).reason for each in nodes):
        complain("srun: Required node not available (down, drained or reserved)")
        # No wait brings such a node back here, so an immediate request fails at once.
        if options.wait_seconds is not None:
            raise ToolRefused(_REFUSED + "Requested nodes are busy", 1)
    try:
        with allocate(nodes, wait_seconds=wait, job=_job(options)):
            if Path(options.command[0]).name in COLLECTIVE_TOOLS:
                return _run_collective(options, nodes)
            return run_tasks(
                nodes=nodes,
                tasks_per_node=options.tasks_per_node,
                command=options.command,
                label=options.label,
                caller_root=node.root,
            )
    except NodesBusy:
        raise ToolRefused(_REFUSED + "Requested nodes are busy", 1) from None


def _job(options: SrunOptions) -> RunningJob:
    ends_at = None if options.minutes is None else time.time() + options.minutes * 60
    return RunningJob(options.job_name or Path(options.command[0]).name, ends_at)


def _select(options: SrunOptions, fleet: Mapping[str, NodeTruth]) -> list[NodeTruth]:
    """The nodes that are asked for, in Slurm's order: sorted as the fleet is, whatever the order of the
    list.
    """
    unknown = [name for name in options.names if name not in fleet]
    if unknown:
        raise ToolRefused(_REFUSED + "Invalid node name specified", 1)
    if len(set(options.names)) != len(options.names):
        raise ToolRefused(_REFUSED + "Invalid node name specified", 1)
    nodes = [each for name, each in fleet.items() if name in options.names]
    known = {partition for each in fleet.values() for partition in each.partitions}
    if options.partition and options.partition not in known:
        raise ToolRefused(
            f"srun: error: invalid partition specified: {options.partition}\n"
            + _REFUSED
            + "Invalid partition name specified",
            1,
        )
    for each in nodes:
        if options.partition and options.partition not in each.partitions:
            raise ToolRefused(_REFUSED + "Requested node configuration is not available", 1)
        if (options.gpus_per_node or 0) > each.hardware.gpus:
            raise ToolRefused(_REFUSED + "Requested node configuration is not available", 1)
    return nodes


def _run_collective(options: SrunOptions, nodes: Sequence[NodeTruth]) -> int:
    tool, *words = options.command
    name = Path(tool).name
    arguments = parse_nccl(name, words)
    if options.tasks_per_node > 1 and arguments.gpus != 1:
        raise ToolRefused(
            f"srun: the simulated {name} takes one GPU a task where a node has several tasks", 1
        )
    job = Job(name.removesuffix("_perf"), tuple(nodes), options.tasks_per_node * arguments.gpus)
    if job.nodes_short_of_gpus:
        return _fail_to_start(job, options)
    width = len(str(max(len(nodes) * options.tasks_per_node - 1, 0)))

    def show(rank: int, line: str) -> None:
        task = rank // arguments.gpus
        say(f"{task:0{width}d}: {line}" if options.label else line)

    if not options.counted:
        return run_job(job, arguments, os.environ, show)
    for rank, line in traffic_lines(job, when="before"):
        show(rank, line)
    code = run_job(job, arguments, os.environ, show)
    for rank, line in traffic_lines(job, when="after"):
        show(rank, line)
    return code


def _fail_to_start(job: Job, options: SrunOptions) -> int:
    """A rank whose GPU is missing ends with a CUDA error, and Slurm then ends the others."""
    for position, node in enumerate(job.nodes):
        for local in range(len(node.gpus), job.ranks_per_node):
            rank = position * job.ranks_per_node + local
            say(
                f"{rank}: {node.hostname}: Test CUDA failure common.cu:1021 'invalid device ordinal'",
                f"{rank}:  .. {node.hostname} pid {30_000 + rank}: Test failure common.cu:891",
            )
            complain(f"srun: error: {node.slurm_name}: task {rank}: Exited with exit code {CUDA_ERROR}")
    ended = itertools.islice((node.slurm_name for node in job.nodes), len(job.nodes))
    complain(f"srun: Terminating StepId=1.0 on {','.join(str(name) for name in ended)}")
    del options
    return CUDA_ERROR
