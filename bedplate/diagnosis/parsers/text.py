"""What all text of tools has in common: colours, carriage returns, blanks, numbers as they were printed."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_LINE_END = re.compile(r"\r\n|\n|\r")
_NUMBER = re.compile(r"[+-]?\d{1,25}(\.\d{0,20})?([eE][+-]?\d{1,3})?", re.ASCII)
_WHOLE = re.compile(r"\d{1,19}", re.ASCII)


def clean_lines(text: str) -> list[str]:
    """The lines of a text without colours, carriage returns and trailing blanks; a line's number is its
    index + 1.

    Only CR and LF end a line; the exotic separators that ``str.splitlines`` honours stay inside it.
    """
    return [line.rstrip() for line in _LINE_END.split(_ESCAPES.sub("", text))]


@dataclass(frozen=True)
class Printed:
    """A number as it was printed: its value, and how far rounding may have moved it (half of the last
    digit).
    """

    value: float
    half_unit: float

    @property
    def low(self) -> float:
        """The least number that prints like this."""
        return self.value - self.half_unit

    @property
    def high(self) -> float:
        """The greatest number that prints like this."""
        return self.value + self.half_unit


def printed(word: str) -> Printed | None:
    """Read a decimal number with its precision; None where it is none, is not finite, or is absurdly
    large.
    """
    if not _NUMBER.fullmatch(word):
        return None
    try:
        number = Decimal(word)
        exponent = number.as_tuple().exponent
        if not isinstance(exponent, int):
            return None
        value, half_unit = float(number), 0.5 * 10.0**exponent
    except (InvalidOperation, OverflowError, ValueError):
        return None
    return Printed(value, half_unit) if math.isfinite(value) and abs(value) < 1e30 else None


def whole(word: str) -> int | None:
    """Read a whole number without sign, up to 19 digits; None where it is none."""
    return int(word) if _WHOLE.fullmatch(word) else None
