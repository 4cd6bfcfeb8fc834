"""Who waits at the gate, who may be a partner, and who might become one; pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Dict, List, Mapping, Optional, Sequence, Set, Tuple

from bedplate.diagnosis.parsers.scontrol import SlurmNode
from bedplate.node.gate.hold import is_gate_reason
from bedplate.node.gate.names import PAIR, hold_of
from bedplate.node.gate.reservations import Reservation, slurm_time

_HELD = frozenset({"CLOUD", "DYNAMIC_NORM", "DYNAMIC_FUTURE", "PLANNED", "MAINTENANCE", "MAINT", "RESERVED"})
_STAMP = re.compile(r"\[[^@\]]+@(?P<time>[0-9T:-]+)\]$")
"""What Slurm adds to a reason: who gave it, and when."""
_UP = frozenset({"IDLE", "ALLOCATED", "MIXED"})
_GONE = frozenset({"NOT_RESPONDING", "POWERED_DOWN", "POWERING_DOWN", "POWERING_UP", "POWER_DOWN", "DRAIN"})


@dataclass(frozen=True)
class Waiting:
    """A node that waits and can be tried now, and since when; None where Slurm does not say."""

    node: SlurmNode
    since: Optional[datetime]

    @property
    def name(self) -> str:
        """Its name in Slurm."""
        return self.node.name


@dataclass(frozen=True)
class View:
    """``held`` are all whose gate is closed, with since when, also those that cannot be tried now;
    ``waiting`` are the others of them, in Slurm's order; ``free`` nodes are idle and their gate is open;
    ``kin`` is, for each that waits, who is of its kind: all of them, and those that are up, whether they
    wait, work or idle.
    """

    held: Mapping[str, Optional[datetime]]
    waiting: Mapping[str, Waiting]
    free: Mapping[str, SlurmNode]
    kin: Mapping[str, Tuple[str, ...]]
    kin_up: Mapping[str, Tuple[str, ...]]


def view_of(nodes: Sequence[SlurmNode], reservations: Sequence[Reservation]) -> View:
    """What Slurm says, as the gate sees it. A node in a pair is nobody's to try meanwhile."""
    held = {each.name: each for each in reservations if each.active}
    paired: Set[str] = {name for each in reservations if each.name.startswith(PAIR) for name in each.nodes}
    closed = {node.name: _since(node, held) for node in nodes if _waits(node, held)}
    waiting = {
        node.name: Waiting(node, closed[node.name])
        for node in nodes
        if node.name in closed and node.name not in paired and _may_be_tried(node)
    }
    free = {
        node.name: node
        for node in nodes
        if node.idle and hold_of(node.name) not in held and node.name not in paired
    }
    by_kind: Dict[Tuple[object, ...], List[SlurmNode]] = {}
    for node in nodes:
        by_kind.setdefault(kind_of(node), []).append(node)
    kin, kin_up = {}, {}
    for name, each in waiting.items():
        others = [other for other in by_kind[kind_of(each.node)] if other.name != name]
        kin[name] = tuple(other.name for other in others)
        kin_up[name] = tuple(other.name for other in others if other.name in waiting or _is_up(other))
    return View(closed, waiting, free, kin, kin_up)


def kind_of(node: SlurmNode) -> Tuple[object, ...]:
    """What nodes of one kind share in Slurm's words. That they are of one pool and one instance type they
    tell themselves, before a pair is run.
    """
    return (node.gres, tuple(sorted(node.partitions)))


def _waits(node: SlurmNode, held: Mapping[str, Reservation]) -> bool:
    """By its reservation; or by its drain, where Slurm did not take that."""
    return hold_of(node.name) in held or ("DRAIN" in node.flags and is_gate_reason(node.reason))


def _since(node: SlurmNode, held: Mapping[str, Reservation]) -> Optional[datetime]:
    found = held.get(hold_of(node.name))
    if found is not None:
        return found.start
    stamp = _STAMP.search(node.reason)
    return None if stamp is None else slurm_time(stamp["time"])


def _may_be_tried(node: SlurmNode) -> bool:
    """Up, without a job, and not drained but by the gate: a drain by a person, or for a fault, stays."""
    ours = {"DRAIN"} if is_gate_reason(node.reason) else set()
    return node.state == "IDLE" and set(node.flags) <= _HELD | ours and not node.allocated


def _is_up(node: SlurmNode) -> bool:
    return node.state in _UP and not _GONE & set(node.flags)
