"""``gate-check``: what a node tells of itself, with the light checks; a job of the gatekeeper's."""

from __future__ import annotations

import argparse
import os
import shutil
import sys

from bedplate.diagnosis.light_checks import light_verdicts
from bedplate.node.collectives import BINARIES
from bedplate.node.gate.mark import read_mark
from bedplate.node.gate.told import Told
from bedplate.node.health_check import NotAskedError, light_facts, own_settings
from bedplate.node.identity import hostname
from bedplate.node.places import off_path_folder

HELP = "tell who this node is, how it is, and whether its gate is open; for the gatekeeper"
_STAGE = "periodic"
"""The most that is asked without load on a GPU."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which question this answers."""
    parser.add_argument("--nonce", required=True)


def main(arguments: argparse.Namespace) -> int:
    """0 with an answer, whatever it says; 1 where none can be given."""
    try:
        settings = own_settings()
        found = light_verdicts(stage=_STAGE, facts=light_facts(settings, _STAGE))
    except NotAskedError as error:
        print(f"bedplate: no answer at the gate: {error}", file=sys.stderr)
        return 1
    mark, program = read_mark(), BINARIES["all_reduce"]
    folder = off_path_folder(program, holds="nccl-tests")
    told = Told(
        nonce=arguments.nonce,
        name=os.environ.get("SLURMD_NODENAME", ""),
        hostname=hostname(),
        pool=settings.pool,
        instance_type=settings.instance_type,
        mark="" if mark is None else mark.how,
        folder=folder,
        sick=tuple((each.verdict.check_id, each.verdict.summary) for each in found if each.is_sick),
        able=bool(folder) or shutil.which(program) is not None,
    )
    print(told.to_json())
    return 0
