"""Slurm's reservations, one line each from ``scontrol show reservations -o``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Optional, Tuple

from bedplate.node.host_ranges import names_in

SHOW = ("show", "reservations", "-o")
_PAIR = re.compile(r"(?:^|\s)([A-Za-z]+)=(\S*)")
NONE = "No reservations in the system"


@dataclass(frozen=True)
class Reservation:
    """``start`` is in local time, as Slurm's clients print it; it stays when a reservation lasts on."""

    name: str
    nodes: Tuple[str, ...]
    start: Optional[datetime]
    active: bool


def parse_reservations(text: str) -> Tuple[Reservation, ...]:
    """Read them all. ``ValueError`` for a line that is none."""
    found = []
    for line in text.splitlines():
        if not line.strip() or line.startswith(NONE):
            continue
        pairs = dict(_PAIR.findall(line))
        if "ReservationName" not in pairs:
            raise ValueError(f"{line[:80]!r} is no reservation")
        nodes = pairs.get("Nodes", "")
        found.append(
            Reservation(
                pairs["ReservationName"],
                () if nodes in ("", "(null)") else tuple(names_in(nodes)),
                slurm_time(pairs.get("StartTime", "")),
                pairs.get("State") == "ACTIVE",
            )
        )
    return tuple(found)


def slurm_time(text: str) -> Optional[datetime]:
    """A time as Slurm's clients print it; None for what is none."""
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S")  # noqa: DTZ007 - Slurm prints local time
    except ValueError:
        return None
