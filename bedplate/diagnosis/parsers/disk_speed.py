"""What ``disk-speed`` of the node program prints: one JSON object, see ``bedplate.node.disk_speed``."""

from __future__ import annotations

import json
from dataclasses import dataclass

from bedplate.diagnosis.parsers.problem import ParseError

TOOL = "disk-speed"
SCHEMA = 1
_MOST_BYTES = 2**53
_SHORTEST_SECONDS, _LONGEST_SECONDS = 1e-6, 1e6


@dataclass(frozen=True)
class Direction:
    """One direction: bytes moved in so many seconds."""

    bytes: int
    seconds: float

    @property
    def gb_per_s(self) -> float:
        """1e9 bytes per second."""
        return self.bytes / self.seconds / 1e9


@dataclass(frozen=True)
class DiskSpeed:
    """Both directions, past the page cache; ``wrong_blocks`` came back other than they were written.

    ``removed``: nothing was left behind. A run that stopped at its limit of time moved fewer bytes than
    were asked; what it moved counts.
    """

    place: str
    run_id: str
    write: Direction
    read: Direction
    wrong_blocks: int
    removed: bool

    @property
    def lower_gb_per_s(self) -> float:
        """The slower direction."""
        return min(self.write.gb_per_s, self.read.gb_per_s)


def parse_disk_speed(text: str) -> DiskSpeed:
    """Read it; ParseError for any other shape, a run with a problem, and one through the page cache."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ParseError(tool=TOOL, reason="it is no JSON") from error
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise ParseError(tool=TOOL, reason="it is no answer of disk-speed")
    if data.get("problem"):
        raise ParseError(tool=TOOL, reason=str(data["problem"])[:200])
    if data.get("direct") is not True:
        raise ParseError(tool=TOOL, reason="it went through the page cache")
    write, read = _direction(data.get("write"), "write"), _direction(data.get("read"), "read")
    wrong = data["read"].get("wrong_blocks")
    if type(wrong) is not int or wrong < 0:
        raise ParseError(tool=TOOL, reason="it does not tell whether what came back is right")
    if read.bytes > write.bytes:
        raise ParseError(tool=TOOL, reason="more was read than was written")
    return DiskSpeed(
        str(data.get("place", "")),
        str(data.get("run", "")),
        write,
        read,
        wrong,
        data.get("removed") is True,
    )


def _direction(entry: object, name: str) -> Direction:
    count = entry.get("bytes") if isinstance(entry, dict) else None
    seconds = entry.get("seconds") if isinstance(entry, dict) else None
    if type(count) is not int or not 0 < count < _MOST_BYTES:
        raise ParseError(tool=TOOL, reason=f"nothing was moved: {name}")
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise ParseError(tool=TOOL, reason=f"it does not tell how long it took: {name}")
    if not _SHORTEST_SECONDS < seconds < _LONGEST_SECONDS:
        raise ParseError(tool=TOOL, reason=f"it cannot have taken that long: {name}")
    return Direction(count, float(seconds))
