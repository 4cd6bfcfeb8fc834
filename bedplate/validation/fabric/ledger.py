"""What the tests so far say about each node and each pair, kept up to date round by round.

A test that passes clears both of its nodes. A test that fails suspects both, until one of them is cleared
elsewhere. A pair that failed although both of its nodes were cleared is about the link between them. A test
that says nothing is no failure: it never counts against anybody.

What a test must reach follows from what the search has measured, so a new round can change the meaning of an
older one, and all is counted anew then. Rounds that cover links are held against what was known before them:
there can be thousands, and each costs no more than its own tests.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import median

from bedplate.validation.fabric.observation import Ended, FinishedRound, Observation
from bedplate.validation.fabric.threshold import Threshold, threshold

PairKey = tuple[str, str]

_ENOUGH_TO_SETTLE = 64
"""Once a coverage has begun, this many measured tests settle what a test must reach."""


def pair_of(group: Sequence[str]) -> PairKey:
    """A pair of nodes, sorted."""
    left, right = group
    return (left, right) if left < right else (right, left)


def passed(seen: Observation, limit: Threshold) -> bool:
    """Whether the test is a pass."""
    return (
        seen.ended is Ended.MEASURED
        and seen.busbw_gb_per_s is not None
        and limit.reached_by(seen.busbw_gb_per_s)
    )


class Ledger:
    """The books of one search.

    ``failed_with``: node → partners of its failed tests, in order. ``unheard``: node → tests with it that
    said nothing. ``streak``: pair → failed tests since it last passed, for pairs that failed since;
    ``pair_unheard`` the same for tests that said nothing. ``tested`` are the pairs of tests that ran,
    ``tried`` those that said nothing too. ``withdrawn`` nodes take no further test; on the ``held`` ones
    processes of a killed test were seen to stay.
    """

    def __init__(self, *, floor_gb_per_s: float | None) -> None:
        self._floor = floor_gb_per_s
        self.rounds: list[FinishedRound] = []
        self.withdrawn: set[str] = set()
        self.held: set[str] = set()
        self.covering = 0
        self.threshold = threshold(measured_gb_per_s=[], floor_gb_per_s=floor_gb_per_s)
        self._measured: list[float] = []
        self._count_anew()

    @property
    def searching_rounds(self) -> int:
        """How many rounds there were beside those of a coverage."""
        return len(self.rounds) - self.covering

    def observations(self) -> Iterator[Observation]:
        """Every observation, in order."""
        for finished in self.rounds:
            yield from finished.observations

    def add(self, finished: FinishedRound) -> None:
        """Enter a round."""
        self.rounds.append(finished)
        self.withdrawn.update(finished.withdrawn)
        self.held.update(finished.held)
        self.covering += finished.plan.covers
        settled = self.covering and len(self._measured) >= _ENOUGH_TO_SETTLE
        if not settled and self._limit_moves(finished):
            self._count_anew()
            return
        for seen in finished.observations:
            self._enter(seen)

    def _limit_moves(self, finished: FinishedRound) -> bool:
        new = [one.busbw_gb_per_s for one in finished.observations if one.busbw_gb_per_s is not None]
        self._measured += new
        before, self.threshold = (
            self.threshold,
            threshold(measured_gb_per_s=self._measured, floor_gb_per_s=self._floor),
        )
        return before != self.threshold

    def _count_anew(self) -> None:
        self.cleared: set[str] = set()
        self.failed_with: dict[str, list[str]] = defaultdict(list)
        self.unheard: dict[str, int] = defaultdict(int)
        self.streak: dict[PairKey, int] = {}
        self.pair_unheard: dict[PairKey, int] = {}
        self.ever_failed: dict[PairKey, None] = {}
        self.tested: set[PairKey] = set()
        self.tried: set[PairKey] = set()
        for seen in self.observations():
            self._enter(seen)

    def _enter(self, one: Observation) -> None:
        pair = pair_of(one.group)
        self.tried.add(pair)
        if passed(one, self.threshold):
            self.tested.add(pair)
            self.cleared.update(pair)
            self.streak.pop(pair, None)
            self.pair_unheard.pop(pair, None)
            return
        left, right = pair
        if not one.ran:
            self.unheard[left] += 1
            self.unheard[right] += 1
            self.pair_unheard[pair] = self.pair_unheard.get(pair, 0) + 1
            return
        self.tested.add(pair)
        self.failed_with[left].append(right)
        self.failed_with[right].append(left)
        self.streak[pair] = self.streak.get(pair, 0) + 1
        self.ever_failed[pair] = None

    def typical_gb_per_s(self) -> float | None:
        """The median of what was measured in the search, None where nothing was."""
        return median(self._measured) if self._measured else None
