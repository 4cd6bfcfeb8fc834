"""Which nodes are tied together by pairs that pass; pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from bedplate.validation.fabric.ledger import Ledger


def components(nodes: Sequence[str], ledger: Ledger) -> dict[str, int]:
    """Node → the number of its group: all that it reaches by pairs that pass. A node that passes with nobody
    is a group of its own.
    """
    passing: dict[str, list[str]] = defaultdict(list)
    for left, right in ledger.tested:
        if (left, right) not in ledger.streak:
            passing[left].append(right)
            passing[right].append(left)
    home: dict[str, int] = {}
    for number, start in enumerate(nodes):
        waiting = [] if start in home else [start]
        while waiting:
            node = waiting.pop()
            if node not in home:
                home[node] = number
                waiting += passing[node]
    return home
