"""From the spelling of CloudFormation properties to that of the PCS API."""

from __future__ import annotations

from typing import Any


def lower_camel(value: Any) -> Any:
    """A copy in which every member name begins with a small letter."""
    if isinstance(value, dict):
        return {key[0].lower() + key[1:]: lower_camel(item) for key, item in value.items()}
    if isinstance(value, list):
        return [lower_camel(item) for item in value]
    return value
