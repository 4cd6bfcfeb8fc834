"""One run of ``disk-speed`` by a stage, with its folder removed afterwards even where the run was killed."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import replace
from typing import Any, Dict

from bedplate.diagnosis.storage_tools import DISK_SPEED, DiskLoad, disk_speed_argv
from bedplate.node.identity import instance_id, node_root
from bedplate.node.places import extended_path
from bedplate.node.process import Limits, run_tool

REMOVE_SECONDS = 60.0


def run_disk_speed(*, load: DiskLoad, deadline_seconds: float) -> Dict[str, Any]:
    """``{"run": the tool's run, "removed": whether nothing is left}``.

    The program is this node program itself; one of its name on PATH goes first, as simulated nodes have it.
    """
    argv = disk_speed_argv(load)
    there = shutil.which(DISK_SPEED, path=extended_path()) is not None
    command = argv if there else (sys.executable, "-I", sys.argv[0], *argv[1:])
    run = replace(run_tool(argv=command, limits=Limits(deadline_seconds), tool=DISK_SPEED), argv=tuple(argv))
    return {"run": run.as_json(), "removed": _says_removed(run.stdout) or _remove(load)}


def _says_removed(stdout: str) -> bool:
    try:
        answer = json.loads(stdout)
    except ValueError:
        return False
    return isinstance(answer, dict) and answer.get("removed") is True


def _remove(load: DiskLoad) -> bool:
    """In a process of its own, since a server that is gone lets it hang."""
    folder = f"{node_root()}{load.place}/.bedplate/validation/{load.run_id}/{instance_id()}"
    run = run_tool(argv=("rm", "-rf", "--", folder), limits=Limits(REMOVE_SECONDS))
    return run.rc == 0
