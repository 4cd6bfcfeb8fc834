"""The names that ``ibv_devices`` of rdma-core lists.

It lists every RDMA device, those that are no EFA too (p6-b200 has two InfiniBand ports of its NVSwitches;
ofiwg/libfabric, pull request 11029): which of them are EFAs sysfs says. A device that the kernel has and this
list lacks is one that no user program can open.
"""

from __future__ import annotations

import re

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import clean_lines

TOOL = "ibv_devices"

_TITLES = ["device", "node", "GUID"]
_ROW = re.compile(r"^\s*(?P<name>[A-Za-z][\w.-]{0,63})\s+(?P<guid>[0-9a-fA-F]{16})$", re.ASCII)


def parse_ibv_devices(text: str) -> tuple[str, ...]:
    """The devices' names, sorted; ParseError where the titles are missing or a row below them is none.

    A table without rows is a table: there is no device.
    """
    lines = [line for line in clean_lines(text) if line.strip()]
    begin = next((number for number, line in enumerate(lines) if line.split() == _TITLES), None)
    if begin is None:
        raise ParseError(tool=TOOL, reason="there is no table in it")
    names = []
    for number, line in enumerate(lines[begin + 1 :], start=begin + 2):
        if not line.strip(" -\t"):
            continue
        match = _ROW.match(line)
        if match is None:
            raise ParseError(tool=TOOL, reason="a row is no name and GUID", line=number)
        names.append(match.group("name"))
    if len(set(names)) != len(names):
        raise ParseError(tool=TOOL, reason="a device is in it twice")
    return tuple(sorted(names))
