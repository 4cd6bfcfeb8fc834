"""One test between nodes: what was planned, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Ended(StrEnum):
    """How a test ended, before its bandwidth is compared with anything."""

    MEASURED = "measured"
    """Whole, over the right transport, with a bandwidth that can be trusted."""
    BROKEN = "broken"
    """A sign of a fault: it hung, the data were wrong, or it did not use the transport that it must use."""
    UNKNOWN = "unknown"
    """It says nothing: it could not be launched, or its log is not whole."""


@dataclass(frozen=True)
class PlannedRound:
    """Disjoint groups of nodes that are tested at once; ``number`` counts from 1. ``covers``: its pairs were
    taken for coverage, not for what an earlier test said.
    """

    number: int
    purpose: str
    groups: tuple[tuple[str, ...], ...]
    covers: bool = False


@dataclass(frozen=True)
class Observation:
    """What one group of a round showed.

    ``busbw_gb_per_s`` is there exactly where the test ended as measured. ``cause`` is an id of
    ``bedplate.diagnosis.causes`` where the test itself names one; ``detail`` says in words what was seen.
    """

    group: tuple[str, ...]
    ended: Ended
    busbw_gb_per_s: float | None = None
    cause: str | None = None
    detail: str = ""
    evidence: tuple[str, ...] = ()

    @property
    def ran(self) -> bool:
        """Whether it says anything about its nodes. What says nothing blames nobody."""
        return self.ended is not Ended.UNKNOWN

    def __post_init__(self) -> None:
        if (self.ended is Ended.MEASURED) != (self.busbw_gb_per_s is not None):
            raise ValueError("a test has a bandwidth exactly where it was measured")


@dataclass(frozen=True)
class FinishedRound:
    """A round and one observation for each of its groups, in the same order. ``withdrawn`` nodes can take no
    further test: after a kill their GPUs were not seen idle. ``held`` are those of them on which processes of
    the killed test were seen to stay; of the others nothing is known.
    """

    plan: PlannedRound
    observations: tuple[Observation, ...]
    withdrawn: frozenset[str] = frozenset()
    held: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if tuple(seen.group for seen in self.observations) != self.plan.groups:
            raise ValueError("a finished round has one observation for each of its groups, in order")


History = tuple[FinishedRound, ...]
"""The rounds so far, in order."""
