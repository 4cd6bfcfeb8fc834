"""What the IMEX service says of the domain that this job's prolog made."""

from __future__ import annotations

from typing import Any, Dict

from bedplate.diagnosis.gpu_tools import IMEX_DOMAIN
from bedplate.node.places import extended_path
from bedplate.node.process import Limits, run_tool
from bedplate.node.stages.settings import ExerciseSettings

DEADLINE_SECONDS = 60.0


def deadline_seconds(settings: ExerciseSettings) -> float:
    """That of the one program."""
    return settings.deadline(DEADLINE_SECONDS)


def run(settings: ExerciseSettings) -> Dict[str, Any]:
    """One run of ``nvidia-imex-ctl``, which changes nothing."""
    limits = Limits(deadline_seconds(settings))
    domain = run_tool(argv=IMEX_DOMAIN, limits=limits, environment={"PATH": extended_path()})
    return {"tools": [domain.as_json()]}
