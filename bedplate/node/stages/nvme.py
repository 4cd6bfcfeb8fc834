"""The speed of the scratch volume."""

from __future__ import annotations

from typing import Any, Dict

from bedplate.diagnosis.storage_tools import nvme_load
from bedplate.node.stages.disk_run import REMOVE_SECONDS, run_disk_speed
from bedplate.node.stages.settings import ExerciseSettings

_STARTING_SECONDS = 30.0


def deadline_seconds(settings: ExerciseSettings) -> float:
    """Both directions at their limit, and the removal."""
    return _run_seconds(settings) + REMOVE_SECONDS


def run(settings: ExerciseSettings) -> Dict[str, Any]:
    """16 GiB written and read back, in a folder named by the run's id, which is removed."""
    load = nvme_load(place=settings.scratch, run_id=settings.run_id)
    return run_disk_speed(load=load, deadline_seconds=_run_seconds(settings))


def _run_seconds(settings: ExerciseSettings) -> float:
    load = nvme_load(place=settings.scratch, run_id=settings.run_id)
    return settings.deadline(2 * load.seconds + _STARTING_SECONDS)
