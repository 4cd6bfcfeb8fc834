"""What a step of the bootstrap is, and how it ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Tuple

from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.settings import NodeSettings

DONE = "done"
FAILED = "failed"
SKIPPED = "skipped"
FAULTY = "faulty"
"""Failed, but the node may take jobs without it."""
LEFT = "left"
"""To a later run of the same boot, without which the node takes no jobs."""


class StepFailedError(Exception):
    """The step cannot do its work; the message says what was found and what to do about it."""


@dataclass(frozen=True)
class Step:
    """One idempotent piece of work.

    ``name`` is stable: the record, ``NOD-002`` and the tests know a step by it. ``why_not`` says why the
    settings do not ask for it, or is empty. ``run`` does the work and returns one line about what it found or
    did; it raises ``StepFailedError``. ``needs`` are steps without which it is not tried. ``holds_jobs`` says
    whether a node on which it failed takes no jobs.
    """

    name: str
    why_not: Callable[[NodeSettings], str]
    run: Callable[[Host, NodeSettings], str]
    needs: Tuple[str, ...] = ()
    holds_jobs: bool = True


@dataclass(frozen=True)
class StepResult:
    """How a step ended, ``seconds`` after it began; ``reason`` is one line."""

    name: str
    outcome: str
    reason: str
    seconds: float

    def to_json(self) -> Dict[str, Any]:
        """As the record holds it."""
        return {
            "name": self.name,
            "outcome": self.outcome,
            "reason": self.reason,
            "seconds": round(self.seconds, 3),
        }


def always(_settings: NodeSettings) -> str:
    """For a step that every node needs."""
    return ""
