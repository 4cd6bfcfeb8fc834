"""Kubernetes' quantities as exact numbers: ``1500m``, ``2Gi``, ``1e3``."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

_SHAPE = re.compile(r"(?P<number>[+-]?\d+(\.\d*)?([eE][+-]?\d+)?)(?P<unit>m|[kMGTPE]|[KMGTPE]i)?")
_UNITS = {
    "": Fraction(1),
    "m": Fraction(1, 1000),
    "k": Fraction(1000),
    **{letter: Fraction(1000 ** (place + 2)) for place, letter in enumerate("MGTPE")},
    **{f"{letter}i": Fraction(1024 ** (place + 1)) for place, letter in enumerate("KMGTPE")},
}


def quantity(value: Any) -> Fraction:
    """The number that a quantity means. Raises ``ValueError``."""
    found = _SHAPE.fullmatch(str(value).strip())
    if found is None:
        raise ValueError(f"{value!r} is no quantity")
    return Fraction(found["number"]) * _UNITS[found["unit"] or ""]
