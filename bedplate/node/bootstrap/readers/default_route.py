"""``ip -o -4 route show default``: the interface that leads out."""

from __future__ import annotations

from typing import Tuple

_NO_METRIC = 0


def default_interface(text: str) -> str:
    """The device of the default route with the lowest metric; empty where there is none."""
    found: "list[Tuple[int, str]]" = []
    for line in text.splitlines():
        words = line.split()
        if words[:1] != ["default"] or "dev" not in words[:-1]:
            continue
        found.append((_metric(words), words[words.index("dev") + 1]))
    return min(found)[1] if found else ""


def _metric(words: "list[str]") -> int:
    if "metric" not in words[:-1]:
        return _NO_METRIC
    text = words[words.index("metric") + 1]
    return int(text) if text.isdigit() else _NO_METRIC
