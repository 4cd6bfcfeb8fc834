"""An environment written out with all defaults filled in."""

from __future__ import annotations

from typing import Any

import yaml

from bedplate.spec.environment import Environment

MODELINE = "# yaml-language-server: $schema=./environment.schema.json\n"
"""The first line of an environment file: with it an editor completes and checks the rest."""


def as_data(environment: Environment) -> dict[str, Any]:
    """Return an environment as plain data, keys as in the file; what is absent is left out."""
    data: dict[str, Any] = environment.model_dump(mode="json", by_alias=True, exclude_none=True)
    return data


def as_yaml(environment: Environment) -> str:
    """Return an environment as YAML, which ``parse_environment`` reads back as the same environment."""
    text: str = yaml.safe_dump(
        as_data(environment), sort_keys=False, default_flow_style=None, width=110, allow_unicode=True
    )
    return MODELINE + text
