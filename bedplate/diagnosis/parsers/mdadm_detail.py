"""``mdadm --detail``: level, members and state of one array.

``Key : Value`` lines, then a table of members. A RAID 0 array has no spare to fall back on: its state is
``clean`` or ``active``; with a member gone newer kernels say ``broken``, mdadm may add ``FAILED``. Source:
mdadm(8), md-utilities/mdadm Detail.c.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import clean_lines, whole

TOOL = "mdadm --detail"
_PAIR = re.compile(r"^\s*(?P<key>[A-Z][A-Za-z ]*?)\s+: (?P<value>.*)$")
_MEMBER = re.compile(r"^\s+(?:\d+|-)\s+\d+\s+\d+\s+(?:\d+|-)\s+(?P<state>\S.*?)\s+(?P<device>/dev/\S+)$")
_WELL = ("clean", "active", "read-auto")


@dataclass(frozen=True)
class ArrayDetail:
    """One array: ``raid_devices`` is how many members it has, ``active_devices`` how many work."""

    device: str
    level: str
    raid_devices: int
    active_devices: int
    failed_devices: int
    state: str
    members: tuple[tuple[str, str], ...]
    """(device, state) of each member."""

    @property
    def is_well(self) -> bool:
        """Whether the state names nothing but that the array runs."""
        words = [word.strip() for word in self.state.split(",")]
        return bool(words) and all(word in _WELL for word in words)


def parse_mdadm_detail(text: str) -> ArrayDetail:
    """Read it; ParseError where level, state or the counts of devices are missing."""
    pairs: dict[str, str] = {}
    members: list[tuple[str, str]] = []
    device = ""
    for line in clean_lines(text):
        if line.startswith("/dev/") and line.endswith(":"):
            device = line[:-1]
        match = _PAIR.match(line)
        if match is not None:
            pairs.setdefault(match.group("key"), match.group("value").strip())
        member = _MEMBER.match(line)
        if member is not None:
            members.append((member.group("device"), member.group("state")))
    counts = [whole(pairs.get(key, "")) for key in ("Raid Devices", "Active Devices", "Failed Devices")]
    raid, active, failed = counts
    if raid is None or active is None or failed is None:
        raise ParseError(tool=TOOL, reason="it does not tell how many devices there are")
    level, state = pairs.get("Raid Level", ""), pairs.get("State", "")
    if not level or not state:
        raise ParseError(tool=TOOL, reason="it does not tell the level or the state")
    return ArrayDetail(device, level, raid, active, failed, state, tuple(members))
