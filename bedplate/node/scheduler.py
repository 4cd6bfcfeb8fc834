"""``scheduler``: what Slurm says about its nodes, asked on the login node."""

from __future__ import annotations

import argparse
from typing import Any, Dict, Tuple

from bedplate.node.places import extended_path
from bedplate.node.process import Limits, run_tool

HELP = "what Slurm says about its nodes; on the login node"

TOOLS: Tuple[Tuple[str, ...], ...] = (("scontrol", "show", "node", "-o"), ("sinfo", "--version"))
QUEUE: Tuple[str, ...] = ("squeue", "--noheader", "--format=%L|%j")
"""The time left and the name of each job."""
_DEADLINE_SECONDS = 60.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which of the image's Slurm clients to use."""
    parser.add_argument("--slurm", default="", help="the cluster's Slurm version, such as 25.11")
    parser.add_argument("--queue", action="store_true", help="tell the names of the jobs too")


def run(arguments: argparse.Namespace) -> Dict[str, Any]:
    """Run the tools and return what they said, unjudged."""
    environment = {"PATH": extended_path(slurm=arguments.slurm)}
    tools = (*TOOLS, QUEUE) if arguments.queue else TOOLS
    limits = Limits(_DEADLINE_SECONDS)
    runs = [run_tool(argv=argv, limits=limits, environment=environment) for argv in tools]
    return {"tools": [one.as_json() for one in runs]}
