"""One NCCL collective inside the node, over every GPU."""

from __future__ import annotations

from typing import Any, Dict

from bedplate.diagnosis.tools import in_node_collective_argv
from bedplate.node.places import extended_path
from bedplate.node.process import Limits, run_tool
from bedplate.node.stages.settings import ExerciseSettings

DEADLINE_SECONDS = 300.0


def deadline_seconds(settings: ExerciseSettings) -> float:
    """That of the one program."""
    return settings.deadline(DEADLINE_SECONDS)


def run(settings: ExerciseSettings) -> Dict[str, Any]:
    """One run of the nccl-tests binary, with what NCCL says about its transport."""
    argv = in_node_collective_argv(collective=settings.collective, gpus=settings.gpus)
    environment = {"NCCL_DEBUG": "INFO", "PATH": extended_path()}
    limits = Limits(deadline_seconds(settings))
    return {"tools": [run_tool(argv=argv, limits=limits, environment=environment).as_json()]}
