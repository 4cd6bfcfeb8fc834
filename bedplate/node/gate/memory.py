"""What the gatekeeper remembers from one run to the next: which pairs failed, which nodes do not fit each
other, and whose pair could not be run a moment ago.

A file under /run: a gatekeeper that forgets tries pairs again, and does no harm.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Dict, List, Mapping, Sequence, Set, Tuple

from bedplate.node.gate.view import View

AGAIN_SECONDS = 600.0
"""After this a pair that could not be run is tried again: it takes a partner from its work."""
UNDECIDED_SECONDS = 1800.0
"""After this a failed pair of which neither node is known to be good is tried again."""


@dataclass(frozen=True)
class Failure:
    """A pair that failed. ``proven`` are those of the two that have passed another, before or after, and
    ``cleared`` those that have since; ``since`` says when a node began to wait, so that a failure of an
    earlier boot is not held against it.
    """

    nodes: Tuple[str, str]
    check_id: str
    told: str
    at: float
    proven: Tuple[str, ...]
    since: Mapping[str, str]
    cleared: Tuple[str, ...] = ()

    def partner(self, name: str) -> str:
        """The other one."""
        return self.nodes[1] if self.nodes[0] == name else self.nodes[0]


@dataclass
class Memory:
    """``later``: node → the time (s since 1970) before which it is not tried again."""

    failures: List[Failure] = field(default_factory=list)
    unfit: List[Tuple[str, str]] = field(default_factory=list)
    later: Dict[str, float] = field(default_factory=dict)

    def of(self, name: str) -> List[Failure]:
        """The failed pairs of a node."""
        return [each for each in self.failures if name in each.nodes]

    def unfit_for(self, name: str) -> Set[str]:
        """Who is of another pool or type than this node."""
        return {other for pair in self.unfit if name in pair for other in pair if other != name}

    def forget(self, view: View, *, now: float) -> None:
        """Drop what is over: nobody of it waits any more, one waits anew, or it is old and says nothing."""
        self.failures = [each for each in self.failures if _holds(each, view, now)]
        self.unfit = [pair for pair in self.unfit if set(pair) & set(view.held)]
        self.later = {name: at for name, at in self.later.items() if at > now and name in view.held}

    def passed(self, name: str) -> None:
        """A pair of this node went well: what failed with it was not for it. Where both have passed since, it
        was the way between them, or chance.
        """
        told = [
            replace(each, proven=_with(each.proven, name), cleared=_with(each.cleared, name))
            if name in each.nodes
            else each
            for each in self.failures
        ]
        self.failures = [each for each in told if len(each.cleared) < len(each.nodes)]
        self.later.pop(name, None)

    def drop(self, name: str) -> None:
        """What becomes of this node is decided."""
        self.failures = [each for each in self.failures if name not in each.nodes]
        self.later.pop(name, None)

    def write(self, path: Path) -> None:
        """Keep it. Where that cannot be done the next run knows less."""
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(asdict(self)) + "\n", encoding="utf-8")


def read_memory(path: Path) -> Memory:
    """What was kept; nothing where that cannot be read."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return Memory(
            [_failure(row) for row in data["failures"]],
            [_two(pair) for pair in data["unfit"]],
            {str(name): float(at) for name, at in data["later"].items()},
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Memory()


def since_of(view: View, names: Sequence[str]) -> Dict[str, str]:
    """When those of the names that wait began to."""
    return {name: str(view.held[name]) for name in names if name in view.held}


def _holds(each: Failure, view: View, now: float) -> bool:
    waits = since_of(view, each.nodes)
    anew = any(each.since.get(name, since) != since for name, since in waits.items())
    undecided = not each.proven and now - each.at > UNDECIDED_SECONDS
    return bool(waits) and not anew and not undecided


def _failure(row: Mapping[str, Any]) -> Failure:
    return Failure(
        _two(row["nodes"]),
        str(row["check_id"]),
        str(row["told"]),
        float(row["at"]),
        tuple(str(name) for name in row["proven"]),
        {str(name): str(since) for name, since in row["since"].items()},
        tuple(str(name) for name in row["cleared"]),
    )


def _with(names: Sequence[str], name: str) -> Tuple[str, ...]:
    return tuple(sorted({*names, name}))


def _two(names: Sequence[Any]) -> Tuple[str, str]:
    first, second = names
    return (str(first), str(second))
