"""How fast the GPUs compute and move memory: DCGM's tests against the model's rates, and nvbandwidth."""

from __future__ import annotations

from typing import Any, Dict

from bedplate.diagnosis.gpu_tools import NVBANDWIDTH, throughput_argv
from bedplate.node.dcgm_run import run_dcgmi_diag
from bedplate.node.places import extended_path
from bedplate.node.process import Limits, run_tool
from bedplate.node.stages.settings import ExerciseSettings

DIAG_SECONDS = 900.0
"""Two tests of a minute and one shorter, each with its start on 8 GPUs, and a busy DCGM before them."""
COPY_SECONDS = 120.0


def deadline_seconds(settings: ExerciseSettings) -> float:
    """That of both programs."""
    return settings.deadline(DIAG_SECONDS) + settings.deadline(COPY_SECONDS)


def run(settings: ExerciseSettings) -> Dict[str, Any]:
    """One run of each; nvbandwidth may not be there, which its check says."""
    diag = run_dcgmi_diag(
        throughput_argv(model=settings.gpu_model), deadline_seconds=settings.deadline(DIAG_SECONDS)
    )
    limits = Limits(settings.deadline(COPY_SECONDS))
    copies = run_tool(argv=NVBANDWIDTH, limits=limits, environment={"PATH": extended_path()})
    return {"tools": [diag.as_json(), copies.as_json()]}
