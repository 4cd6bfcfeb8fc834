"""``open-gate``: the gatekeeper, on the node that has Slurm's clients; a timer calls it every minute."""

from __future__ import annotations

import argparse
import fcntl
import sys
import time
from pathlib import Path

from bedplate.node.bootstrap.places import GATEKEEPER_LOCK, GATEKEEPER_MEMORY
from bedplate.node.gate.bench import Bench, SlurmSilentError
from bedplate.node.gate.jobs import GateJobs
from bedplate.node.gate.keeper import Keeper, Patience
from bedplate.node.gate.memory import read_memory
from bedplate.node.guardian import Guardian
from bedplate.node.identity import node_root
from bedplate.node.slurm_client import SlurmClient

HELP = "let nodes that have booted in, after a pair with another one; on the login or head node"
PAIR_SECONDS = 240.0
"""As long as a pair of the validation (``bedplate.validation.deadlines``): a launch and a sweep to 16 GiB."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which of the image's clients to use, and how patient to be."""
    patience = Patience()
    parser.add_argument("--slurm", default="", help="the cluster's Slurm version, such as 25.11")
    parser.add_argument(
        "--pair-seconds", type=float, default=PAIR_SECONDS, help="for a pair's run (default: %(default)g)"
    )
    parser.add_argument(
        "--alone-after",
        type=float,
        default=patience.alone,
        help="seconds that a node waits for others of its kind to come up (default: %(default)g)",
    )
    parser.add_argument(
        "--told-after",
        type=float,
        default=patience.told,
        help="seconds after which its comment says how long it waits (default: %(default)g)",
    )


def main(arguments: argparse.Namespace) -> int:
    """0 where Slurm could be asked; 1 where not. Another gatekeeper on this host goes first."""
    lock = Path(node_root() + GATEKEEPER_LOCK)
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            print("bedplate: another gatekeeper is at work here")
            return 0
        return _keep(arguments)


def _keep(arguments: argparse.Namespace) -> int:
    slurm = SlurmClient(version=arguments.slurm)
    place = Path(node_root() + GATEKEEPER_MEMORY)
    memory = read_memory(place)
    with Guardian() as guardian:
        jobs = GateJobs(path=slurm.path, guardian=guardian, pair_seconds=arguments.pair_seconds)
        bench = Bench(slurm=slurm, jobs=jobs)
        keeper = Keeper(
            hands=bench,
            memory=memory,
            patience=Patience(alone=arguments.alone_after, told=arguments.told_after),
            now=time.time,
            journal=lambda line: print(f"bedplate gate: {line}", flush=True),
        )
        try:
            bench.clear_leftovers()
            keeper.run()
        except SlurmSilentError as error:
            print(f"bedplate: open-gate: {error}", file=sys.stderr)
            return 1
        finally:
            memory.write(place)
    return 0
