"""``lnetctl net show``: which interfaces LNet uses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import List

_NET = re.compile(r"^\s*- net type: (?P<net>\S+)\s*$")
_NID = re.compile(r"^\s*- nid: (?P<nid>\S+)\s*$")
_STATUS = re.compile(r"^\s*status: (?P<status>\S+)\s*$")
_INTERFACE = re.compile(r"^\s*\d+: (?P<interface>\S+)\s*$")


@dataclass(frozen=True)
class NetworkInterface:
    """One local interface of LNet; ``device`` is empty for one that has none, as loopback."""

    net: str
    nid: str
    status: str = ""
    device: str = ""


def read_net_show(text: str) -> List[NetworkInterface]:
    """All local interfaces in order (YAML of Lustre 2.12 to 2.15; other lines are passed over)."""
    found: List[NetworkInterface] = []
    net = ""
    for line in text.splitlines():
        match = _NET.match(line)
        if match:
            net = match.group("net")
            continue
        match = _NID.match(line)
        if match and net:
            found.append(NetworkInterface(net, match.group("nid")))
            continue
        if not found or found[-1].net != net:
            continue
        last = found[-1]
        status, interface = _STATUS.match(line), _INTERFACE.match(line)
        if status and not last.status:
            found[-1] = NetworkInterface(last.net, last.nid, status.group("status"), last.device)
        elif interface and not last.device:
            found[-1] = NetworkInterface(last.net, last.nid, last.status, interface.group("interface"))
    return found
