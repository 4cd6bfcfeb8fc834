"""The rows that ``fi_pingpong`` prints, one for each message size.

``bytes #sent #ack total time MB/sec usec/xfer Mxfers/sec``: sizes and totals are binary (``16m``, ``1.5k``),
counts decimal (``1k``), ``#ack`` is ``=N`` where all were acknowledged, ``-N`` or ``+N`` where not, MB are
1e6 bytes. Each message goes there and back, so the total is twice size by count. A size that the endpoint
cannot carry is left out in silence, with exit status 0: no row is no measurement. Source: ofiwg/libfabric
``util/pingpong.c``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import clean_lines, printed

TOOL = "fi_pingpong"

_ROW = re.compile(
    r"^(?P<size>[\d.]{1,12}[kmg]?)\s+(?P<sent>\d{1,12}[kmb]?)\s+(?P<mark>[=+-])(?P<ack>\d{1,12}[kmb]?)\s+"
    r"(?P<total>[\d.]{1,12}[kmg]?)\s+(?P<seconds>[\d.]{1,15})s\s+(?P<rate>[\d.]{1,15}|inf)\s+"
    r"(?P<each>[\d.]{1,15})\s+(?P<per>[\d.]{1,15}|inf)$",
    re.ASCII,
)
_TITLES = ("bytes", "#sent", "#ack")
_BINARY = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_DECIMAL = {"": 1, "k": 1000, "m": 1000_000, "b": 1000_000_000}


@dataclass(frozen=True)
class PingPongRow:
    """One size: messages of ``size_bytes``, ``sent`` each way, ``gb_per_s`` (1e9 bytes) over both ways."""

    size_bytes: int
    sent: int
    all_acknowledged: bool
    seconds: float
    gb_per_s: float

    @property
    def moved_bytes(self) -> int:
        """What crossed the device in one direction."""
        return self.size_bytes * self.sent


def parse_fi_pingpong(text: str) -> tuple[PingPongRow, ...]:
    """Read all rows below the titles; ParseError where there is no title, no row, or a row makes no sense."""
    rows: list[PingPongRow] = []
    titled = False
    for number, line in enumerate(clean_lines(text), start=1):
        words = line.split()
        if tuple(words[:3]) == _TITLES:
            titled = True
            continue
        match = _ROW.match(line.strip()) if titled else None
        if match is not None:
            rows.append(_row(match, number))
    if not rows:
        raise ParseError(tool=TOOL, reason="there is no row in it" if titled else "there is no table in it")
    return tuple(rows)


def _row(match: re.Match[str], number: int) -> PingPongRow:
    rate = printed(match.group("rate"))
    seconds = printed(match.group("seconds"))
    if rate is None or seconds is None:
        raise ParseError(tool=TOOL, reason="a rate or a time is no number", line=number)
    sent, acknowledged = (_scaled(match.group(key), _DECIMAL, number) for key in ("sent", "ack"))
    return PingPongRow(
        size_bytes=_scaled(match.group("size"), _BINARY, number),
        sent=sent,
        all_acknowledged=match.group("mark") == "=" and acknowledged == sent,
        seconds=seconds.value,
        gb_per_s=rate.value / 1000.0,
    )


def _scaled(word: str, units: dict[str, int], number: int) -> int:
    unit = word[-1] if word[-1].isalpha() else ""
    value = printed(word[: len(word) - len(unit)])
    if value is None:
        raise ParseError(tool=TOOL, reason=f"`{word}` is no size or count", line=number)
    return int(value.value * units[unit])
