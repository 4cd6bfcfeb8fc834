"""The one line of ``chronyc -c tracking``: how far the clock is off, and who says so.

Fourteen fields between commas: reference id (hexadecimal), its name or address, stratum, time of the last
measurement (seconds of the epoch), system time, last offset, RMS offset (seconds), frequency, residual
frequency, skew (ppm), root delay, root dispersion, update interval (seconds), leap status. Source: chrony's
manual, chronyc(1), "tracking" and option ``-c``. The sign of "system time" differs between readers of that
manual; only its size is used.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import clean_lines

TOOL = "chronyc -c tracking"

_FIELDS = 14
_NUMBER = re.compile(r"[+-]?\d{1,20}(\.\d{1,20})?", re.ASCII)
_REFERENCE = re.compile(r"[0-9A-Fa-f]{8}", re.ASCII)
_SYNCHRONISED = ("normal", "insert second", "delete second")
_UNSYNCHRONISED = ("not synchronised", "not synchronized")
_NO_REFERENCE = "00000000"


@dataclass(frozen=True)
class ClockTracking:
    """What chronyd knows of the clock; times in seconds. ``reference`` is the source's name or address."""

    reference_id: str
    reference: str
    stratum: int
    measured_at_epoch: float
    offset_seconds: float
    root_delay_seconds: float
    root_dispersion_seconds: float
    leap: str

    @property
    def synchronised(self) -> bool:
        """Whether chronyd follows a source at all."""
        told = self.leap.lower() in _SYNCHRONISED
        return told and self.reference_id != _NO_REFERENCE and 1 <= self.stratum <= 15

    @property
    def error_bound_seconds(self) -> float:
        """How far the clock is off at most: offset, root dispersion and half of the root delay (chronyc(1),
        "root dispersion").
        """
        return abs(self.offset_seconds) + self.root_dispersion_seconds + 0.5 * self.root_delay_seconds


def parse_chronyc_tracking(text: str) -> ClockTracking:
    """Read the line; ParseError where there is none, or more than one, or it has other fields."""
    lines = [line for line in clean_lines(text) if line.strip()]
    if len(lines) != 1:
        raise ParseError(tool=TOOL, reason=f"{len(lines)} lines where one was asked for")
    words = [word.strip() for word in lines[0].split(",")]
    if len(words) != _FIELDS or not _REFERENCE.fullmatch(words[0]):
        raise ParseError(tool=TOOL, reason="it is not the fourteen fields of `tracking`", line=1)
    stratum = _number(words[2])
    if stratum != int(stratum):
        raise ParseError(tool=TOOL, reason="the stratum is no whole number", line=1)
    delay, dispersion = _number(words[10]), _number(words[11])
    if delay < 0 or dispersion < 0:
        raise ParseError(tool=TOOL, reason="a delay is negative", line=1)
    # It stands last: a line that was cut has another word here, and half of "Not synchronised" is not well.
    if words[13].lower() not in (*_SYNCHRONISED, *_UNSYNCHRONISED):
        raise ParseError(tool=TOOL, reason=f"`{words[13][:30]}` is no leap status", line=1)
    return ClockTracking(
        reference_id=words[0].upper(),
        reference=words[1],
        stratum=int(stratum),
        measured_at_epoch=_number(words[3]),
        offset_seconds=_number(words[4]),
        root_delay_seconds=delay,
        root_dispersion_seconds=dispersion,
        leap=words[13],
    )


def _number(word: str) -> float:
    if not _NUMBER.fullmatch(word):
        raise ParseError(tool=TOOL, reason=f"`{word[:30]}` is no number", line=1)
    value = float(word)
    if not math.isfinite(value):
        raise ParseError(tool=TOOL, reason=f"`{word[:30]}` is too large", line=1)
    return value
