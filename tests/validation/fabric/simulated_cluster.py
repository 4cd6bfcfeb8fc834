"""SIMULATED: our search run on a simulated cluster to its end. No hardware was measured."""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.validation.fabric.finding import Localisation
from bedplate.validation.fabric.localise import localise
from bedplate.validation.fabric.observation import FinishedRound, PlannedRound
from bedplate.validation.fabric.plan import Planner
from bedplate.validation.fabric.policy import Policy
from tests.bench.fabric.cluster import FLOOR_GB_PER_S, HEALTHY_GB_PER_S, Cluster

__all__ = ["FLOOR_GB_PER_S", "HEALTHY_GB_PER_S", "QUIET", "Cluster", "Search", "search"]

MOST_ROUNDS = 5000


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


def search(cluster: Cluster, policy: Policy = QUIET) -> Search:
    """Plan and run rounds until the planner has no more; every round must be of disjoint groups."""
    return go_on(cluster, Planner(nodes=cluster.nodes, policy=policy, topology=cluster.topology))


def go_on(cluster: Cluster, planner: Planner) -> Search:
    """Run what a planner still has to ask."""
    while plan := planner.next():
        busy = [node for group in plan.groups for node in group]
        assert len(busy) == len(set(busy)), "the groups of a round must be disjoint"
        planner.add(FinishedRound(plan, tuple(cluster.test(group) for group in plan.groups)))
        assert len(planner.ledger.rounds) < MOST_ROUNDS
    return Search(localise(planner), tuple(planner.ledger.rounds))
