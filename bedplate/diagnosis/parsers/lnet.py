"""``lnetctl net show``, with or without ``-v``: which interfaces carry LNet, how well, and how much.

YAML of Lustre 2.12 to 2.15, by two levels of lists. ``-v`` adds, below each interface, ``statistics``
(``send_count``, ``recv_count``, ``drop_count``: messages since the interface was added) and ``health stats``
(``health value``: 1000 is full health). Source: lustre-release lnet/utils; Lustre Operations Manual, LNet
multi-rail. That FSx's ``efa`` networks print the same was seen in published logs of clients of 2.15.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Optional

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import clean_lines, whole

TOOL = "lnetctl net show"
FULL_HEALTH = 1000

_NET = re.compile(r"^\s*- net type: (?P<net>\S+)$")
_NID = re.compile(r"^\s*- nid: (?P<nid>\S+)$")
_STATUS = re.compile(r"^\s*status: (?P<status>\S+)$")
_INTERFACE = re.compile(r"^\s*0: (?P<interface>\S+)$")
_COUNTER = re.compile(r"^\s*(?P<name>send_count|recv_count|drop_count|health value): (?P<value>\S+)$")


@dataclass(frozen=True)
class LnetInterface:
    """One local interface; ``device`` is empty for one that has none, as loopback.

    ``counters`` holds ``send_count``, ``recv_count``, ``drop_count`` (messages) and ``health value``, those
    that were printed.
    """

    net: str
    nid: str
    status: str = ""
    device: str = ""
    counters: Mapping[str, int] = field(default_factory=dict)

    @property
    def messages(self) -> Optional[int]:  # noqa: UP045 - the node runs Python 3.9
        """Messages sent and received; None where either was not printed."""
        sent, received = self.counters.get("send_count"), self.counters.get("recv_count")
        return None if sent is None or received is None else sent + received

    @property
    def health(self) -> Optional[int]:  # noqa: UP045
        """LNet's own value, 0 to 1000; None where it was not printed."""
        return self.counters.get("health value")


@dataclass(frozen=True)
class LnetState:
    """All local interfaces in order."""

    interfaces: tuple[LnetInterface, ...]

    def of(self, net: str) -> tuple[LnetInterface, ...]:
        """Those of one kind of network: ``tcp`` is also ``tcp1``."""
        return tuple(each for each in self.interfaces if each.net.rstrip("0123456789") == net)

    def up(self, net: str) -> tuple[LnetInterface, ...]:
        """Those of one kind of network that are up."""
        return tuple(each for each in self.of(net) if each.status == "up")

    def messages(self, net: str) -> Optional[int]:  # noqa: UP045
        """All messages of one kind of network; None where an interface of it does not tell."""
        counts = [each.messages for each in self.of(net)]
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else None


def parse_lnet(text: str) -> LnetState:
    """Read it; ParseError where it is no list of networks, or an interface stands before any network."""
    found: list[LnetInterface] = []
    net, begun = "", False
    for number, line in enumerate(clean_lines(text), start=1):
        begun = begun or line.strip() == "net:"
        match = _NET.match(line)
        if match is not None:
            net = match.group("net")
            continue
        match = _NID.match(line)
        if match is not None:
            if not net:
                raise ParseError(tool=TOOL, reason="an interface before any network", line=number)
            found.append(LnetInterface(net, match.group("nid")))
        elif found and found[-1].net == net:
            found[-1] = _with(found[-1], line)
    if not begun:
        raise ParseError(tool=TOOL, reason="there is no list of networks in it")
    return LnetState(tuple(found))


def _with(last: LnetInterface, line: str) -> LnetInterface:
    """The interface with what one more line says of it; what was said first stays."""
    status, device, counters = last.status, last.device, last.counters
    match = _STATUS.match(line)
    if match is not None:
        status = status or match.group("status")
    match = _INTERFACE.match(line)
    if match is not None:
        device = device or match.group("interface")
    match = _COUNTER.match(line)
    if match is not None:
        value = whole(match.group("value"))
        if value is not None:
            counters = {match.group("name"): value, **counters}
    return LnetInterface(last.net, last.nid, status, device, counters)
