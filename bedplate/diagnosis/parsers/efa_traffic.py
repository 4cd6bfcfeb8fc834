"""What the EFA devices of each node counted while a collective ran: two lines a node in the run's own log.

``bedplate.node.counted`` prints them; a node that was killed, or whose log was cut, has one or none, and then
nothing is known of it. A name that is there twice is two runs in one log, of which nothing is known either.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from bedplate.diagnosis.parsers.efa_counters import CounterRise, counter_rise
from bedplate.diagnosis.parsers.problem import ParseError

_LINE = re.compile(
    r"BEDPLATE-EFA (?P<when>before|after) node=(?P<node>[\w.-]{1,80})(?P<counters>(?: \w{1,40}=\d{1,25})+)"
    r"(?=\s|$)",
    re.ASCII,
)


@dataclass(frozen=True)
class EfaTraffic:
    """The rise of the counters of each node that told both readings, by the node's name in Slurm."""

    nodes: tuple[CounterRise, ...]

    def total(self, name: str) -> int | None:
        """The rise of one counter over all nodes; None where no node told it."""
        told = [rise.of(name) for rise in self.nodes]
        known = [value for value in told if value is not None]
        return sum(known) if known else None

    def worst(self, name: str) -> CounterRise | None:
        """The node on which a counter rose most; None where it rose on none."""
        risen = [rise for rise in self.nodes if rise.of(name)]
        return max(risen, key=lambda rise: rise.of(name) or 0) if risen else None


def read_efa_traffic(text: str, *, nodes: Collection[str]) -> EfaTraffic:
    """Read a log, whatever else stands in it, as far as it tells of ``nodes``; never raises."""
    seen: dict[str, dict[str, list[dict[str, int]]]] = {}
    for match in _LINE.finditer(text):
        if match.group("node") not in nodes:
            continue
        pairs = (pair.split("=") for pair in match.group("counters").split())
        reading = {name: int(value) for name, value in pairs}
        seen.setdefault(match.group("node"), {}).setdefault(match.group("when"), []).append(reading)
    found = []
    for node, readings in sorted(seen.items()):
        before, after = readings.get("before", []), readings.get("after", [])
        if len(before) != 1 or len(after) != 1:
            continue
        try:
            found.append(counter_rise(device=node, before=before[0], after=after[0]))
        except ParseError:
            continue
    return EfaTraffic(tuple(found))
