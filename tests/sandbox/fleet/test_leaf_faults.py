"""Which simulated nodes stand under one leaf, and what a slow leaf does to them."""

from __future__ import annotations

import pytest

from bedplate.sandbox.fleet.binding import bind
from bedplate.sandbox.fleet.fault import make_fault
from bedplate.sandbox.fleet.leaves import NODES_A_LEAF, beyond_the_leaf, leaf_of, network_nodes

from .conftest import fault, node_id

NODES = [node_id(index) for index in range(10)]


def test_four_neighbours_share_a_leaf_and_all_share_the_spine() -> None:
    """The last network node is the leaf; ids have EC2's shape, and are the same each time."""
    paths = [network_nodes(place) for place in range(10)]
    assert len({path[-1] for path in paths}) == 3
    assert {path[:2] for path in paths} == {paths[0][:2]}
    assert all(path[-1] == paths[0][-1] for path in paths[:NODES_A_LEAF])
    assert all(part.startswith("nn-") and len(part) == 20 for path in paths for part in path)


def test_a_slow_leaf_is_slow_from_its_nodes_to_all_others_only() -> None:
    """The second leaf: its four nodes towards six; nothing among the four, and nothing on the others."""
    bound = bind([make_fault(fault("leaf-slow", None, leaf=1, speed=0.5))], NODES)
    under = {node for place, node in enumerate(NODES) if leaf_of(place) == 1}
    for node in NODES:
        slow = dict(bound.effects[node].slow_links)
        assert slow == (dict.fromkeys(set(NODES) - under, 0.5) if node in under else {})
    assert [subjects for _, subjects in bound.bound] == [()]


@pytest.mark.parametrize("nodes", [4, 5])
def test_a_leaf_that_looks_like_a_node_is_not_made_slow(nodes) -> None:
    """One leaf has no way out, and one of a single node is told from the node by nobody: unbound."""
    bound = bind([make_fault(fault("leaf-slow", None, leaf=0))], NODES[:nodes])
    assert bound.bound == ()
    assert len(bound.unbound) == 1
    assert all(not effects.slow_links for effects in bound.effects.values())


def test_leaves_are_counted_around() -> None:
    """Any number names one of the leaves that there are."""
    assert beyond_the_leaf(4, NODES) == beyond_the_leaf(1, NODES)
