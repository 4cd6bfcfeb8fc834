"""From a file to an environment, or to every problem in it."""

from __future__ import annotations

from pathlib import Path

import yaml

from bedplate.spec.environment import Environment


def load_environment(path: Path) -> Environment:
    """Read an environment file."""
    return Environment.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
