"""What Kubernetes takes for the value of a label or a taint."""

from __future__ import annotations

import re

_LONGEST = 63
_LEGAL = re.compile(r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
"""At most 63 of these, letters or digits at both ends; it may be empty (Kubernetes, "Labels and Selectors").
A taint's value follows the same rule.
"""


def is_legal_value(value: str) -> bool:
    """Whether the API server takes this as a label's or taint's value."""
    return _LEGAL.fullmatch(value) is not None


def legal_value(text: str) -> str:
    """A value that stays as near to ``text`` as the rules allow; never one that they refuse."""
    value = re.sub(r"[^-A-Za-z0-9_.]+", "-", text).lstrip("-_.")[:_LONGEST]
    return value.strip("-_.")
