"""``scheduler``: what Slurm says about its nodes, asked on the login node."""

from __future__ import annotations

import argparse
from typing import Any, Dict, Tuple

from bedplate.node.process import Limits, run_tool

HELP = "what Slurm says about its nodes; on the login node"

TOOLS: Tuple[Tuple[str, ...], ...] = (("scontrol", "show", "node", "-o"), ("sinfo", "--version"))
_DEADLINE_SECONDS = 60.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command takes none of its own."""


def run(_arguments: argparse.Namespace) -> Dict[str, Any]:
    """Run both tools and return what they said, unjudged."""
    return {"tools": [run_tool(argv=argv, limits=Limits(_DEADLINE_SECONDS)).as_json() for argv in TOOLS]}
