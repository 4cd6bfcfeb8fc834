"""Which nodes are tried together next; pure."""

from __future__ import annotations

import re
from typing import AbstractSet, List, Mapping, Set, Tuple

from bedplate.diagnosis.parsers.scontrol import SlurmNode
from bedplate.node.gate.view import View

_LAST_NUMBER = re.compile(r"^(?P<stem>.*?)(?P<number>[0-9]+)$")
AT_ONCE = 32
"""Pairs of one round: each is three threads and as many jobs."""


def choose_pairs(
    view: View, *, tried: Mapping[str, AbstractSet[str]], later: AbstractSet[str] = frozenset()
) -> List[Tuple[str, str]]:
    """For each node that waits a partner that it was not tried with, each node in one pair at most.

    A node whose gate is open goes first, one of the same pool by its name and the nearest by its number; else
    another one that waits, so that a cluster's first boot, where nobody is known to be good, proves all
    of its nodes. ``later`` names nodes whose pair was not run a moment ago, for a reason that may last.
    """
    used: Set[str] = set()
    pairs: List[Tuple[str, str]] = []
    for name, each in view.waiting.items():
        if name in used or name in later or len(pairs) == AT_ONCE:
            continue
        known = tried.get(name, frozenset())
        near = [
            other
            for other in view.kin[name]
            if other not in used and other not in known and (other in view.free or _waits(view, other, later))
        ]
        if not near:
            continue
        partner = min(near, key=lambda other: (other not in view.free, *_distance(each.node, other)))
        pairs.append((name, partner))
        used |= {name, partner}
    return pairs


def _waits(view: View, name: str, later: AbstractSet[str]) -> bool:
    return name in view.waiting and name not in later


def _distance(node: SlurmNode, other: str) -> Tuple[bool, int, str]:
    mine, its = _LAST_NUMBER.match(node.name), _LAST_NUMBER.match(other)
    if mine is None or its is None or mine["stem"] != its["stem"]:
        return (True, 0, other)
    return (False, abs(int(mine["number"]) - int(its["number"])), other)
