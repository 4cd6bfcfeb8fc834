"""SIMULATED: whatever a search leaves in doubt says how sure it is, and by which tests. No hardware was
measured.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from bedplate.validation.fabric.finding import Localisation, NodeState
from bedplate.validation.fabric.policy import Policy
from tests.validation.fabric.simulated_cluster import FLOOR_GB_PER_S, Cluster, search

NOISY = replace(Policy(), floor_gb_per_s=FLOOR_GB_PER_S)
KINDS = frozenset({0, 3, 5, 6, 9, 10})


def _found(cluster: Cluster) -> Localisation:
    return search(cluster, NOISY).found


@pytest.mark.parametrize(
    ("cluster", "least", "most"),
    [
        (Cluster(8, slow=dict.fromkeys(range(8), 0.5)), 0.99, 1.0),
        (Cluster(8, slow=dict.fromkeys(range(6), 0.5)), 0.99, 1.0),
        (Cluster(4, slow=dict.fromkeys((0, 2), 0.5)), 0.6, 0.75),
        (Cluster(16, slow=dict.fromkeys(range(0, 16, 2), 0.5)), 0.99, 1.0),
        (Cluster(12, other_side=KINDS), 0.99, 1.0),
        (Cluster(2, slow={1: 0.5}), 0.15, 0.25),
        (Cluster(2, hanging=frozenset({0})), 0.15, 0.25),
    ],
)
def test_what_nodes_share_is_weighed_and_argued(cluster: Cluster, least: float, most: float) -> None:
    """All, most or half of the nodes, two kinds, and two nodes alone: the whole and each node in doubt says
    how sure it is, by tests that failed; a node in doubt is less likely the culprit than what is shared.
    """
    found = _found(cluster)
    assert found.in_state(NodeState.AT_FAULT) == ()
    assert found.confidence is not None
    assert least <= found.confidence <= most
    assert found.because[0].startswith("Round 1: ")
    assert not [sentence for sentence in found.because if "passed" in sentence]
    for name in found.in_state(NodeState.UNDETERMINED):
        node = found.nodes[name]
        assert node.confidence is not None
        assert 0 < node.confidence < 0.5
        assert node.because


def test_the_sums_of_the_rounds_are_those_of_the_tests_that_failed() -> None:
    """SIMULATED: six of eight are slow; of four pairs in the first round three or four fail."""
    found = _found(Cluster(8, slow=dict.fromkeys(range(6), 0.5)))
    assert found.no_reference
    sums = [sentence for sentence in found.because if sentence.endswith("such tests failed")]
    told = sum(int(sentence.split()[2]) for sentence in sums)
    listed = [sentence for sentence in found.because if " ↔ " in sentence]
    more = sum(int(sentence.split()[1]) for sentence in found.because if sentence.endswith("tests more"))
    assert told == len(listed) + more
    assert all("below" in sentence for sentence in listed)


def test_each_node_of_a_leaf_that_is_named_says_how_sure_it_is_of_it_alone() -> None:
    """SIMULATED: all four nodes of one leaf fail: hardly one of them by itself."""
    found = _found(Cluster(16, leaf_size=4, slow=dict.fromkeys(range(4, 8), 0.5)))
    assert [leaf.leaves for leaf in found.leaves] == [("leaf-001",)]
    for name in found.in_state(NodeState.UNDETERMINED):
        assert 0 < (found.nodes[name].confidence or 0) < 0.05
        assert found.nodes[name].because


def test_a_search_without_a_doubt_argues_nothing() -> None:
    """SIMULATED: healthy nodes, and one that is named by itself: nothing is said of the whole."""
    for cluster in (Cluster(8), Cluster(2), Cluster(8, slow={3: 0.5})):
        found = _found(cluster)
        assert (found.confidence, found.because) == (None, ())


def test_tests_that_are_held_to_nothing_are_told() -> None:
    """SIMULATED: two nodes, no floor and no peer: nothing is inferred, and the test is there to be read."""
    found = search(Cluster(2), Policy()).found
    assert found.confidence is None
    assert [sentence.endswith("with nothing to compare it with") for sentence in found.because] == [True]
