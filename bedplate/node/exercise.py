"""``exercise``: load on one node, stage by stage.

Started only through the scheduler on a node that it has given us, since it disturbs whatever else runs there.
"""

from __future__ import annotations

import argparse
import importlib
from typing import Any, Dict, List

from bedplate.node.stages import STAGES
from bedplate.node.stages.settings import ExerciseSettings, decode_settings

HELP = "load on this node: DCGM diagnostics, NCCL inside it, and more; only where the scheduler gave the node"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The settings, as ``ExerciseSettings.encode`` writes them."""
    parser.add_argument("--settings", required=True, help="base64 of the settings as JSON")


def run(arguments: argparse.Namespace) -> Dict[str, Any]:
    """Every stage that was asked for, one after the other; ``stages`` holds what a stage says beside its
    tools.
    """
    settings = decode_settings(arguments.settings)
    runs: List[Dict[str, Any]] = []
    told: Dict[str, Any] = {}
    for name in _in_order(settings):
        body = importlib.import_module(STAGES[name]).run(settings)
        runs.extend(body.pop("tools", ()))
        told[name] = body
    return {"tools": runs, "stages": told}


def stage_deadline_seconds(settings: ExerciseSettings) -> float:
    """The longest that the whole exercise may take."""
    modules = [importlib.import_module(STAGES[name]) for name in _in_order(settings)]
    return float(sum(module.deadline_seconds(settings) for module in modules))


def _in_order(settings: ExerciseSettings) -> List[str]:
    return [name for name in STAGES if name in settings.stages]
