"""SIMULATED: one rank of a collective that a real Slurm started: ``NODE_FOLDER TOOL ARGUMENT…``.

Each rank works out the whole job and prints its own lines of it. Which nodes are in it, how many ranks each
has and which of them this is, it knows from Slurm alone. While a file ``pause`` lies beside the folders of
the nodes no rank goes on: a job that is under way.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from bedplate.sandbox.fleet.tools import nccl_tests
from bedplate.sandbox.fleet.tools.efa_traffic import count_traffic
from bedplate.sandbox.fleet.tools.job import Job
from bedplate.sandbox.fleet.tools.nccl_arguments import parse
from bedplate.sandbox.fleet.tools.nodelist import expand
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.truth import NodeTruth, read_fleet, read_truth

PAUSE = "pause"
_MOST_SECONDS = 300


def play(folder: Path, tool: str, words: list[str], slurm: Mapping[str, str]) -> int:
    """Play this rank; returns its exit code."""
    rank, nodes = int(slurm["SLURM_PROCID"]), _nodes(folder, slurm["SLURM_STEP_NODELIST"])
    per_node = int(slurm["SLURM_NTASKS"]) // len(nodes)
    job = Job(tool.removesuffix("_perf"), tuple(nodes), per_node)
    mine = nodes[rank // per_node]
    if len(mine.gpus) <= rank % per_node:
        say(f"{mine.hostname}: Test CUDA failure common.cu:1021 'invalid device ordinal'")
        return nccl_tests.CUDA_ERROR
    for _ in range(_MOST_SECONDS * 10):
        if not (folder.parent / PAUSE).exists():
            break
        time.sleep(0.1)
    # Each node's first rank moves its node's counters, once; the stand-in would move those of all.
    nccl_tests.count_traffic = lambda _, moved: count_traffic([mine] * (rank % per_node == 0), moved)

    def show(teller: int, line: str) -> None:
        if teller == rank:
            say(line)

    code = nccl_tests.run_job(job, parse(tool, words), slurm, show)
    sys.stdout.flush()
    return code


def _nodes(folder: Path, names: str) -> list[NodeTruth]:
    known = {each.slurm_name: each for each in read_fleet(folder.parent).values()}
    return [known[name] for name in expand(names)]


if __name__ == "__main__":
    node, program, *arguments = sys.argv[1:]
    if int(os.environ.get("SLURM_NTASKS", "1")) > 1:
        sys.exit(play(Path(node), program, arguments, os.environ))
    sys.exit(nccl_tests.main(program, arguments, read_truth(Path(node))))
