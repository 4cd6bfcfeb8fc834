"""SIMULATED: our search in the form of a scheme."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from random import Random

from bedplate.validation.fabric.finding import LinkState, Localisation, NodeState
from bedplate.validation.fabric.localise import localise
from bedplate.validation.fabric.observation import FinishedRound
from bedplate.validation.fabric.plan import Planner
from bedplate.validation.fabric.policy import Policy
from tests.bench.fabric.cluster import FLOOR_GB_PER_S, Cluster
from tests.bench.fabric.told import Scheme, Told, told

QUIET = Policy(false_failures=0, floor_gb_per_s=FLOOR_GB_PER_S)
"""No test fails by chance."""
NOISY = Policy(floor_gb_per_s=FLOOR_GB_PER_S)
"""As it is deployed: one test in a hundred may fail by chance."""


_COVER_AT_MOST_NODES = 32


def ours(policy: Policy, *, together: bool = False, **changes: bool) -> Scheme:
    """Our search under a policy; ``together``: as in a whole validation, one run over all nodes that were
    cleared follows, and where that is slow and nothing explains it, all links are covered in a small cluster.
    """
    wanted = replace(policy, **changes)

    def run(cluster: Cluster, _chance: Random) -> Told:
        planner = Planner(nodes=cluster.nodes, policy=wanted, topology=cluster.topology)
        found = _run(planner, cluster)
        explained = found.links or found.leaves or found.configuration
        slow = together and not explained and cluster.fails([int(node[1:]) for node in found.nodes])
        if slow and cluster.size <= _COVER_AT_MOST_NODES:
            planner.policy = replace(wanted, cover_links=True)
            found = _run(planner, cluster)
        return told(
            cluster,
            rounds=len(planner.ledger.rounds),
            nodes=_indices(found.in_state(NodeState.AT_FAULT)),
            links=[_link(link.nodes) for link in found.links_in_state(LinkState.AT_FAULT)],
            open_nodes=_indices(found.in_state(NodeState.UNDETERMINED)),
            shared=found.configuration or found.no_reference or bool(found.leaves),
        )

    return run


def _run(planner: Planner, cluster: Cluster) -> Localisation:
    while plan := planner.next():
        planner.add(FinishedRound(plan, tuple(cluster.test(group) for group in plan.groups)))
    return localise(planner)


def _indices(names: Iterable[str]) -> list[int]:
    return [int(name[1:]) for name in names]


def _link(names: tuple[str, str]) -> tuple[int, int]:
    return int(names[0][1:]), int(names[1][1:])
