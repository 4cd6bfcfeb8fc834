"""The speed of each Lustre file system, and the messages that LNet counted meanwhile.

All nodes do it at once, so that each gets its share of the file system's throughput.
"""

from __future__ import annotations

from typing import Any, Dict, List

from bedplate.diagnosis.storage_tools import LNET, lustre_load
from bedplate.node.places import extended_path
from bedplate.node.process import Limits, run_tool
from bedplate.node.stages.disk_run import REMOVE_SECONDS, run_disk_speed
from bedplate.node.stages.settings import ExerciseSettings

_STARTING_SECONDS = 60.0
_LNET_SECONDS = 20.0


def deadline_seconds(settings: ExerciseSettings) -> float:
    """For each file system both directions at their limit, the removal, and LNet's counters twice."""
    each = _run_seconds(settings) + REMOVE_SECONDS + 2 * settings.deadline(_LNET_SECONDS)
    return each * max(len(_places(settings)), 1)


def run(settings: ExerciseSettings) -> Dict[str, Any]:
    """``{"mounts": [{"path", "run", "removed", "lnet_before", "lnet_after"}]}``."""
    return {"mounts": [_one(settings, path) for path in _places(settings)]}


def _one(settings: ExerciseSettings, path: str) -> Dict[str, Any]:
    before = _lnet(settings)
    load = lustre_load(place=path, run_id=settings.run_id, nodes=settings.nodes)
    told = run_disk_speed(load=load, deadline_seconds=_run_seconds(settings))
    return {"path": path, **told, "lnet_before": before, "lnet_after": _lnet(settings)}


def _lnet(settings: ExerciseSettings) -> Dict[str, Any]:
    limits = Limits(settings.deadline(_LNET_SECONDS))
    return run_tool(argv=LNET, limits=limits, environment={"PATH": extended_path()}).as_json()


def _places(settings: ExerciseSettings) -> List[str]:
    return [path for kind, path in settings.mounts if kind == "lustre"]


def _run_seconds(settings: ExerciseSettings) -> float:
    return settings.deadline(2 * lustre_load(place="/", run_id="").seconds + _STARTING_SECONDS)
