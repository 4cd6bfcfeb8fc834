"""``exercise``: load on the GPUs of one node, DCGM's diagnostics and then NCCL inside the node.

Started only through the scheduler on a node that it has given us, since it disturbs whatever else runs there.
"""

from __future__ import annotations

import argparse
from typing import Any, Dict, List, Mapping

from bedplate.diagnosis.tools import dcgm_diag_argv, in_node_collective_argv
from bedplate.node.collectives import BINARIES
from bedplate.node.places import extended_path
from bedplate.node.process import Limits, run_tool

HELP = "GPU load on this node: DCGM diagnostics and NCCL inside it; only where the scheduler gave the node"

# DCGM level → deadline in seconds. Level 1 takes seconds, level 2 takes 2 to 10 minutes on 8 GPUs
# (NVIDIA DCGM documentation).
DCGM_DEADLINES: Mapping[int, float] = {1: 180.0, 2: 1200.0}
COLLECTIVE_DEADLINE_SECONDS = 300.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """DCGM level, the collectives, and how many GPUs the node has."""
    parser.add_argument("--dcgm-level", type=int, choices=sorted(DCGM_DEADLINES), default=2)
    parser.add_argument("--collective", action="append", choices=sorted(BINARIES), default=[])
    parser.add_argument("--gpus", type=int, default=8)
    parser.add_argument("--deadline", type=float, default=0.0, help="seconds a tool; 0: the tool's own")


def run(arguments: argparse.Namespace) -> Dict[str, Any]:
    """DCGM first, then each collective: never at once, both want the GPUs to themselves."""
    level = arguments.dcgm_level
    runs: List[Dict[str, Any]] = []
    path = extended_path()
    environment = {"NCCL_DEBUG": "INFO", "PATH": path}
    diag = Limits(arguments.deadline or DCGM_DEADLINES[level])
    runs.append(run_tool(argv=dcgm_diag_argv(level=level), limits=diag).as_json())
    for collective in arguments.collective:
        limits = Limits(arguments.deadline or COLLECTIVE_DEADLINE_SECONDS)
        argv = in_node_collective_argv(collective=collective, gpus=arguments.gpus)
        runs.append(run_tool(argv=argv, limits=limits, environment=environment).as_json())
    return {"tools": runs, "dcgm_level": level, "collectives": list(arguments.collective)}
