"""NVLink's error counters after the load; the ``dcgm`` stage has read them before it."""

from __future__ import annotations

from typing import Any, Dict

from bedplate.node.nvlink_counters import longest_seconds, nvlink_counters
from bedplate.node.stages.settings import ExerciseSettings


def deadline_seconds(settings: ExerciseSettings) -> float:
    """That of all programs."""
    return longest_seconds(settings.gpus)


def run(settings: ExerciseSettings) -> Dict[str, Any]:
    """``after`` has one run a GPU."""
    return {"after": nvlink_counters(settings.gpus)}
