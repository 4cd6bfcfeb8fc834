"""GDRCopy's own tests on one GPU: whether the CPU can map the memory of a GPU, and how fast it copies."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict

from bedplate.diagnosis.host_tools import GDRCOPY_COPYBW, GDRCOPY_SANITY
from bedplate.node.identity import node_root
from bedplate.node.places import extended_path
from bedplate.node.process import Limits, run_tool
from bedplate.node.stages.settings import ExerciseSettings

DEADLINE_SECONDS = 120.0
"""For each program; NVIDIA gives no figure, and the tests copy megabytes."""


def deadline_seconds(settings: ExerciseSettings) -> float:
    """Those of both programs."""
    return 2 * settings.deadline(DEADLINE_SECONDS)


def run(settings: ExerciseSettings) -> Dict[str, Any]:
    """Both programs, and the version of the kernel module where it is loaded (None where it is not)."""
    environment = {"PATH": extended_path()}
    limits = Limits(settings.deadline(DEADLINE_SECONDS))
    runs = [
        run_tool(argv=argv, limits=limits, environment=environment)
        for argv in (GDRCOPY_SANITY, GDRCOPY_COPYBW)
    ]
    return {"tools": [one.as_json() for one in runs], "module": _loaded_module()}


def _loaded_module() -> Any:
    folder = Path(node_root() + "/sys/module/gdrdrv")
    if not folder.is_dir():
        return None
    try:
        return (folder / "version").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
