"""Words that problems of shape are made of."""

from __future__ import annotations

import re
from typing import Any

from bedplate.spec.problems import Path, dotted
from bedplate.spec.source import Place


def named(path: Path) -> str:
    """Name a field as messages do."""
    return f"'{dotted(path)}'" if path else "the file"


def mapping_at(data: Any, path: Path, default: Any) -> Any:
    """Return the mapping at a path, or the default where there is none."""
    for part in path:
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            return default
    return data if isinstance(data, dict) else default


def given_text(place: Place, value: Any) -> str:
    """Say what was given: the text as written, or a word on a section."""
    if place.text:
        return place.text
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    return "nothing" if value in (None, "") else str(value)


def quoted(place: Place, value: Any) -> str:
    """Return the text as written, in quotes."""
    return f"'{place.text}'" if place.text else given_text(place, value)


def kind_of(value: Any) -> str:
    """Say what YAML took a plain word for."""
    if isinstance(value, bool):
        return "true or false"
    return "a number" if isinstance(value, int | float) else "a date"


def looks_like_version(text: str) -> bool:
    """Whether this is a version such as 25.11."""
    return re.fullmatch(r"\d+\.\d+", text) is not None


def as_yaml_text(value: Any) -> str:
    """Write an example on one line, as it would stand in the file."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {as_yaml_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(as_yaml_text(item) for item in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and re.fullmatch(r"[\d.]+", value):
        return f'"{value}"'
    return str(value)
