"""The nccl-tests programs: on one node when called by name, over nodes when ``srun`` calls ``run_job``."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from bedplate.sandbox.fleet.leftover import hold_gpus
from bedplate.sandbox.fleet.performance import NotModelled
from bedplate.sandbox.fleet.tools.efa_traffic import count_traffic
from bedplate.sandbox.fleet.tools.job import Job
from bedplate.sandbox.fleet.tools.nccl_arguments import Arguments, parse
from bedplate.sandbox.fleet.tools.nccl_environment import nccl_environment
from bedplate.sandbox.fleet.tools.nccl_log import connect_lines, init_lines, start_failures
from bedplate.sandbox.fleet.tools.nccl_table import footer, header, preamble, rows
from bedplate.sandbox.fleet.tools.output import complain, say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

CUDA_ERROR = 2
NCCL_ERROR = 3
NOT_IMPLEMENTED = 5
INVALID_USAGE = 6
_HANG_LOOK_SECONDS = 0.5

Print = Callable[[int, str], None]
"""(rank, line): print a line of one rank."""


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """One process with ``-g`` GPUs of this node."""
    asked = parse(tool, arguments)
    if asked.gpus > len(node.gpus):
        complain(
            f"Invalid number of GPUs: {asked.gpus} requested but only {len(node.gpus)} were found.",
            "Please check the number of processes and GPUs per process.",
        )
        return INVALID_USAGE
    job = Job(tool.removesuffix("_perf"), (node,), asked.gpus)
    return run_job(job, asked, os.environ, _show_unlabelled, one_process=True)


def run_job(
    job: Job, arguments: Arguments, variables: Mapping[str, str], show: Print, *, one_process: bool = False
) -> int:
    """Print what the whole job prints, in its order; returns the exit code of its ranks."""
    environment = nccl_environment(variables)
    job = replace(job, nvlink_between_nodes=environment.mnnvl)
    try:
        anchor = job.anchor_gb_per_s()
    except NotModelled as unknown:
        raise ToolRefused(f"{job.collective}_perf: {unknown}", NOT_IMPLEMENTED) from unknown
    pids = _pids(job, one_process=one_process)
    if any(node.effects.fabric_manager_down for node in job.nodes):
        return _no_fabric(job, pids, show)
    for line in preamble(job, arguments, pids):
        show(0, line)
    _show_all(init_lines(job, pids, environment), show, wanted=environment.info)
    if job.crashing is not None:
        return _crash(job, job.crashing, pids, show)
    failures = list(start_failures(job, pids, environment))
    if failures:
        _show_all(iter(failures), show, wanted=True)
        return NCCL_ERROR
    if job.hangs:
        _hang(job)
    _show_all(connect_lines(job, pids, environment), show, wanted=environment.info)
    if len(job.nodes) > 1 and not job.over_nvlink:
        count_traffic(job.nodes, sum(arguments.sizes) * arguments.iterations)
    _show_table(job, arguments, anchor, show)
    return 0


def _show_table(job: Job, arguments: Arguments, anchor_gb_per_s: float, show: Print) -> None:
    """From the header to the closing line, or to where the log is cut."""
    for line in header():
        show(0, line)
    total, count = 0.0, 0
    for number, (line, rates) in enumerate(rows(job, arguments, anchor_gb_per_s)):
        if number == job.cut_after_rows:
            return
        show(0, line)
        total, count = total + sum(rates), count + len(rates)
    if job.cut_after_rows is not None:
        return
    for line in footer(job, total / max(count, 1)):
        show(0, line)


def _no_fabric(job: Job, pids: tuple[int, ...], show: Print) -> int:
    """CUDA itself does not start where the fabric manager has not joined the GPUs (nccl-tests issue 338)."""
    index = next(n for n, node in enumerate(job.nodes) if node.effects.fabric_manager_down)
    rank, host = index * job.ranks_per_node, job.nodes[index].hostname
    show(rank, f"{host}: Test CUDA failure common.cu:1079 'system not yet initialized'")
    show(rank, f" .. {host} pid {pids[rank]}: Test failure common.cu:1055")
    return CUDA_ERROR


def _crash(job: Job, node: NodeTruth, pids: tuple[int, ...], show: Print) -> int:
    """The first rank of the node fails while it makes its communicator; the others end with it."""
    rank = job.nodes.index(node) * job.ranks_per_node
    where = f"{node.hostname}:{pids[rank]}:{pids[rank] + 61} [0]"
    show(rank, f"{where} init.cc:417 NCCL WARN Cuda failure 2 'out of memory'")
    show(rank, f"{node.hostname}: Test NCCL failure common.cu:1279 'unhandled cuda error'")
    show(rank, f" .. {node.hostname} pid {pids[rank]}: Test failure common.cu:1055")
    complain(f"srun: error: {node.slurm_name}: task {rank}: Exited with exit code {NCCL_ERROR}")
    return NCCL_ERROR


def _show_unlabelled(rank: int, line: str) -> None:
    del rank
    say(line)


def _show_all(lines: Iterator[tuple[int, str]], show: Print, *, wanted: bool) -> None:
    if wanted:
        for rank, line in lines:
            show(rank, line)


def _pids(job: Job, *, one_process: bool) -> tuple[int, ...]:
    """Process ids that differ between nodes and stay the same from run to run."""
    first = [21_000 + 37 * sum(map(ord, node.instance_id)) % 9000 for node in job.nodes]
    step = 0 if one_process else 1
    return tuple(first[n // job.ranks_per_node] + step * (n % job.ranks_per_node) for n in range(job.ranks))


def _hang(job: Job) -> None:
    """Wait until killed, or until whoever started this has gone: nothing may be left behind, but for a while
    on the GPUs of the node that hangs.
    """
    import sys

    for node in job.nodes:
        if node.effects.hangs:
            hold_gpus(
                node.folder,
                pid=os.getpid(),
                name=f"{job.collective}_perf",
                lingers_seconds=node.effects.hang_lingers_s,
            )

    sys.stdout.flush()
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(_HANG_LOOK_SECONDS)
    raise SystemExit(143)  # 128 + SIGTERM
