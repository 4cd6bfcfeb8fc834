"""SIMULATED: a cluster for the search to be tried on. No hardware was measured; numbers are invented.

Nodes are slow, hang, or say nothing by decree; a search sees only what a test between two of them shows.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from bedplate.validation.fabric.finding import Localisation
from bedplate.validation.fabric.localise import localise
from bedplate.validation.fabric.observation import Ended, FinishedRound, Observation, PlannedRound
from bedplate.validation.fabric.plan import Planner
from bedplate.validation.fabric.policy import Policy
from bedplate.validation.fabric.topology import Topology

HEALTHY_GB_PER_S = 370.0
MOST_ROUNDS = 2000


@dataclass
class Cluster:
    """What is true and hidden. ``spread`` is the healthy run-to-run spread; ``false_failures`` is a rate per
    test.
    """

    size: int
    slow: dict[int, float] = field(default_factory=dict)
    hanging: frozenset[int] = frozenset()
    mute: frozenset[int] = frozenset()
    slow_links: dict[tuple[int, int], float] = field(default_factory=dict)
    once: set[tuple[int, int]] = field(default_factory=set)
    everywhere: float = 1.0
    spread: float = 0.01
    false_failures: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.nodes = [f"n{number:04}" for number in range(self.size)]

    def test(self, group: tuple[str, ...]) -> Observation:
        """What one test between two nodes shows."""
        left, right = sorted(int(node[1:]) for node in group)
        if {left, right} & self.mute:
            return Observation(group, Ended.UNKNOWN, detail="no log")
        if {left, right} & self.hanging or self.random.random() < self.false_failures:
            return Observation(group, Ended.BROKEN, cause="collective-hang")
        rate = HEALTHY_GB_PER_S * self.everywhere * self.random.uniform(1 - self.spread, 1 + self.spread)
        rate *= min(
            self.slow.get(left, 1.0), self.slow.get(right, 1.0), self.slow_links.get((left, right), 1.0)
        )
        if (left, right) in self.once:
            self.once.discard((left, right))
            rate *= 0.5
        return Observation(group, Ended.MEASURED, rate)


@dataclass(frozen=True)
class Search:
    """One search and what it cost."""

    found: Localisation
    rounds: tuple[FinishedRound, ...]

    @property
    def tests(self) -> int:
        """Tests in all rounds."""
        return sum(len(finished.observations) for finished in self.rounds)

    @property
    def plans(self) -> list[PlannedRound]:
        """The rounds as they were planned."""
        return [finished.plan for finished in self.rounds]


QUIET = Policy(false_failures=0)
"""No test fails by chance."""


def search(
    cluster: Cluster,
    policy: Policy = QUIET,
    topology: Topology | None = None,
    *,
    planner: Planner | None = None,
) -> Search:
    """Plan and run rounds until the planner has no more; every round must be of disjoint groups."""
    planner = planner or Planner(nodes=cluster.nodes, policy=policy, topology=topology)
    while plan := planner.next():
        busy = [node for group in plan.groups for node in group]
        assert len(busy) == len(set(busy)), "the groups of a round must be disjoint"
        planner.ledger.add(FinishedRound(plan, tuple(cluster.test(group) for group in plan.groups)))
        assert len(planner.ledger.rounds) < MOST_ROUNDS
    return Search(localise(planner), tuple(planner.ledger.rounds))
