"""From a file to an environment, or to every problem in it."""

from __future__ import annotations

from pathlib import Path

import yaml

from bedplate.spec.environment import Environment


def load_environment(path: Path) -> Environment:
    """Read an environment file."""
    return Environment.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))


def find_environment(name_or_path: str, base: Path) -> Path:
    """The file that ``--env`` means: a path, or the name of a file in ``environments/`` under ``base``."""
    if "/" in name_or_path or name_or_path.endswith((".yaml", ".yml")):
        return base / name_or_path
    return base / "environments" / f"{name_or_path}.yaml"
