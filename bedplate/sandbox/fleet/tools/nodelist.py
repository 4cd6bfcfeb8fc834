"""Slurm's short form of node names: ``a1,b[2-4,07]``."""

from __future__ import annotations

import re

from bedplate.sandbox.fleet.tools.refusal import ToolRefused

_PART = re.compile(r"([^,\[\]]+)(?:\[([0-9,\-]+)\])?(?:,|$)")


def expand(text: str) -> list[str]:
    """All names that a node list stands for, in its order. Raises ``ToolRefused`` where it is malformed."""
    names: list[str] = []
    position = 0
    while position < len(text):
        part = _PART.match(text, position)
        if part is None:
            raise ToolRefused(f"error: Invalid hostlist: {text}", 1)
        prefix, ranges = part.group(1), part.group(2)
        names += [prefix] if ranges is None else [prefix + number for number in _numbers(ranges)]
        position = part.end()
    return names


def _numbers(ranges: str) -> list[str]:
    found: list[str] = []
    for piece in ranges.split(","):
        low, dash, high = piece.partition("-")
        if not low or (dash and not high):
            raise ToolRefused(f"error: Invalid hostlist: [{ranges}]", 1)
        found += [f"{number:0{len(low)}d}" for number in range(int(low), int(high or low) + 1)]
    return found
