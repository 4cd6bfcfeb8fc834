"""Between the spelling of CloudFormation properties and that of the PCS API."""

from __future__ import annotations

from typing import Any


def upper_camel(value: Any) -> Any:
    """A copy in which every member name begins with a capital letter, as CloudFormation spells them."""
    if isinstance(value, dict):
        return {key[0].upper() + key[1:]: upper_camel(item) for key, item in value.items()}
    if isinstance(value, list):
        return [upper_camel(item) for item in value]
    return value


def lower_camel(value: Any) -> Any:
    """A copy in which every member name begins with a small letter."""
    if isinstance(value, dict):
        return {key[0].lower() + key[1:]: lower_camel(item) for key, item in value.items()}
    if isinstance(value, list):
        return [lower_camel(item) for item in value]
    return value
