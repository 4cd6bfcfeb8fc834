"""``NAME=value`` lines, as ``mdadm --export``, ``blkid -o export`` and ``systemctl show`` print them."""

from __future__ import annotations

from typing import Dict


def read_pairs(text: str) -> Dict[str, str]:
    """The pairs in order; the last of a name counts, lines without ``=`` do not. Quotes around a value go."""
    pairs: Dict[str, str] = {}
    for line in text.splitlines():
        name, equals, value = line.strip().partition("=")
        if equals and name:
            pairs[name] = value[1:-1] if len(value) > 1 and value[0] == value[-1] in ("'", '"') else value
    return pairs
