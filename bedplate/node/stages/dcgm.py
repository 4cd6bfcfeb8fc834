"""DCGM's diagnostics at the level that was asked for, with NVLink's error counters before and the health
watches after them.
"""

from __future__ import annotations

from typing import Any, Dict, Mapping

from bedplate.diagnosis.gpu_tools import DCGM_HEALTH
from bedplate.diagnosis.tools import dcgm_diag_argv
from bedplate.node.dcgm_run import run_dcgmi_diag
from bedplate.node.nvlink_counters import longest_seconds, nvlink_counters
from bedplate.node.process import Limits, run_tool
from bedplate.node.stages.settings import ExerciseSettings

# DCGM level → deadline in seconds. Level 1 takes seconds, level 2 takes 2 to 10 minutes on 8 GPUs, level 3
# 10 to 30, level 4 one to two hours and more (NVIDIA DCGM documentation).
DEADLINES_SECONDS: Mapping[int, float] = {1: 180.0, 2: 1200.0, 3: 3000.0, 4: 10800.0}
_HEALTH_SECONDS = 30.0


def deadline_seconds(settings: ExerciseSettings) -> float:
    """That of the level, and a little for counters and health watches."""
    level = settings.deadline(DEADLINES_SECONDS[settings.dcgm_level])
    return level + _HEALTH_SECONDS + longest_seconds(settings.gpus)


def run(settings: ExerciseSettings) -> Dict[str, Any]:
    """One run of ``dcgmi diag``, and one of ``dcgmi health``, which changes nothing; ``before`` has the
    counters, one run a GPU.
    """
    before = nvlink_counters(settings.gpus) if settings.gpus > 1 else []
    diag = run_dcgmi_diag(
        dcgm_diag_argv(level=settings.dcgm_level),
        deadline_seconds=settings.deadline(DEADLINES_SECONDS[settings.dcgm_level]),
    )
    health = run_tool(argv=DCGM_HEALTH, limits=Limits(_HEALTH_SECONDS))
    return {"tools": [diag.as_json(), health.as_json()], "before": before}
