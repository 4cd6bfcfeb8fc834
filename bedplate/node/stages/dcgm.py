"""DCGM's diagnostics at the level that was asked for, and what its health watches say after them."""

from __future__ import annotations

from typing import Any, Dict, Mapping

from bedplate.diagnosis.gpu_tools import DCGM_HEALTH
from bedplate.diagnosis.tools import dcgm_diag_argv
from bedplate.node.dcgm_run import run_dcgmi_diag
from bedplate.node.process import Limits, run_tool
from bedplate.node.stages.settings import ExerciseSettings

# DCGM level → deadline in seconds. Level 1 takes seconds, level 2 takes 2 to 10 minutes on 8 GPUs, level 3
# 10 to 30, level 4 one to two hours and more (NVIDIA DCGM documentation).
DEADLINES_SECONDS: Mapping[int, float] = {1: 180.0, 2: 1200.0, 3: 3000.0, 4: 10800.0}
_HEALTH_SECONDS = 30.0


def deadline_seconds(settings: ExerciseSettings) -> float:
    """That of the level, and a little for the health watches."""
    return settings.deadline(DEADLINES_SECONDS[settings.dcgm_level]) + _HEALTH_SECONDS


def run(settings: ExerciseSettings) -> Dict[str, Any]:
    """One run of ``dcgmi diag``, and one of ``dcgmi health``, which changes nothing."""
    diag = run_dcgmi_diag(
        dcgm_diag_argv(level=settings.dcgm_level),
        deadline_seconds=settings.deadline(DEADLINES_SECONDS[settings.dcgm_level]),
    )
    health = run_tool(argv=DCGM_HEALTH, limits=Limits(_HEALTH_SECONDS))
    return {"tools": [diag.as_json(), health.as_json()]}
