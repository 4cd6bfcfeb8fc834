"""SIMULATED: a node that takes no other test, since processes of a killed one stay on it."""

from dataclasses import replace

import pytest

from bedplate.validation.fabric.finding import Localisation, NodeState
from bedplate.validation.fabric.localise import localise
from bedplate.validation.fabric.observation import FinishedRound
from bedplate.validation.fabric.plan import Planner
from tests.validation.fabric.simulated_cluster import QUIET, Cluster

HANGING = "n0002"


def _searched(size: int, *, seen: bool, both: bool = False) -> Localisation:
    """One node hangs and does not come free after its first test; ``seen`` says whether processes were seen
    on it, ``both`` whether its partner does not come free either.
    """
    cluster = Cluster(size, hanging=frozenset({2}))
    planner = Planner(nodes=cluster.nodes, policy=QUIET)
    while plan := planner.next():
        pair = next((group for group in plan.groups if HANGING in group), ())
        stuck = frozenset(pair) if both else frozenset({HANGING})
        held = stuck if seen else frozenset()
        planner.add(FinishedRound(plan, tuple(map(cluster.test, plan.groups)), stuck, held))
    return localise(planner)


@pytest.mark.parametrize("size", [4, 5, 8])
def test_who_keeps_its_processes_is_named(size: int) -> None:
    """Its partner came free and is well: one failed test and what stayed on it are enough."""
    found = _searched(size, seen=True)
    assert found.in_state(NodeState.AT_FAULT) == (HANGING,)
    assert found.nodes[HANGING].cause == "collective-hang"
    assert (found.nodes[HANGING].confidence or 0) > 0.99


@pytest.mark.parametrize(("seen", "both"), [(False, False), (True, True)])
def test_nobody_is_named_where_it_is_not_seen_or_both_stay(seen: bool, both: bool) -> None:
    """A node that does not answer, or two that both keep processes: undetermined, nobody is blamed."""
    found = _searched(8, seen=seen, both=both)
    assert found.in_state(NodeState.AT_FAULT) == ()
    assert HANGING in found.in_state(NodeState.UNDETERMINED)


def test_two_nodes_have_nobody_to_tell() -> None:
    """No partner is known to be well: undetermined."""
    planner = Planner(nodes=("a", "b"), policy=replace(QUIET, floor_gb_per_s=100.0))
    plan = planner.next()
    assert plan is not None
    hangs = Cluster(2, hanging=frozenset({0}))
    seen = replace(hangs.test(hangs.nodes[:2]), group=plan.groups[0])
    planner.add(FinishedRound(plan, (seen,), frozenset({"a"}), frozenset({"a"})))
    assert localise(planner).in_state(NodeState.AT_FAULT) == ()
