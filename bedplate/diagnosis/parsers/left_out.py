"""Connections that a thinned log leaves out, told at its end: one line a host, way and network.

``bedplate.node.thin_log`` keeps the first line of each kind of connection and counts the rest, so that the
counts of a thinned log are those of the whole one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

THINNED = "BEDPLATE-THINNED"
"""What the last line of a thinned log begins with; how much is left out follows."""
_MARK = "BEDPLATE-LEFT-OUT "
_LINE = re.compile(
    r"BEDPLATE-LEFT-OUT host=(?P<host>[\w.-]{1,255}) way=(?P<way>send|receive|-) gdrdma=(?P<gdrdma>yes|no)"
    r" count=(?P<count>\d{1,15}) network=(?P<network>[\w ]*)",
    re.ASCII,
)


@dataclass(frozen=True)
class LeftOut:
    """How many further connections a host has that leave it in one way over one network."""

    host: str
    way: str
    network: str
    gdrdma: bool
    count: int

    def line(self) -> str:
        """As the log tells it; the network stands last, since its name may hold blanks."""
        return (
            f"{_MARK}host={self.host} way={self.way or '-'} gdrdma={'yes' if self.gdrdma else 'no'} "
            f"count={self.count} network={self.network}"
        )


def read_left_out(line: str) -> LeftOut | None:
    """What a clean line tells, where it is whole and such a line."""
    match = _LINE.fullmatch(line) if line.startswith(_MARK) else None
    if match is None:
        return None
    way = match.group("way")
    return LeftOut(
        host=match.group("host"),
        way="" if way == "-" else way,
        network=match.group("network"),
        gdrdma=match.group("gdrdma") == "yes",
        count=int(match.group("count")),
    )
