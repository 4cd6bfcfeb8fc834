"""Tests of the order in which nodes are paired, by the switches that they hang on."""

from bedplate.validation.fabric.topology import Topology, leaf_round, leaf_rounds
from bedplate.validation.fabric.tournament import tournament_round

PATHS = {
    "a1": ("top", "left", "A"),
    "b1": ("top", "right", "B"),
    "a2": ("top", "left", "A"),
    "c1": ("top", "left", "C"),
    "b2": ("top", "right", "B"),
    "a3": ("top", "left", "A"),
    "lost": (),
}
NODES = (*PATHS, "unheard")
TOPOLOGY = Topology(PATHS)


def test_pairs_of_the_first_round_share_a_leaf_wherever_that_can_be() -> None:
    """a1 and a2, b1 and b2; the two left over meet under the same middle switch, the unknown ones last."""
    order = TOPOLOGY.in_order(NODES)
    assert order == ("a1", "a2", "b1", "b2", "a3", "c1", "lost", "unheard")
    met = {frozenset(pair) for pair in tournament_round(order, 0)}
    assert {frozenset(("a1", "a2")), frozenset(("b1", "b2")), frozenset(("a3", "c1"))} < met


def test_no_node_is_lost_or_doubled_by_the_order() -> None:
    """Also where nothing is known, and the order is the given one."""
    assert sorted(TOPOLOGY.in_order(NODES)) == sorted(NODES)
    assert Topology().in_order(NODES) == NODES


def test_only_known_leaves_are_shared() -> None:
    """Two nodes of which nothing is known are not under one leaf."""
    assert TOPOLOGY.same_leaf("a1", "a3")
    assert not TOPOLOGY.same_leaf("a1", "b1")
    assert not TOPOLOGY.same_leaf("lost", "unheard")


def test_each_pair_of_leaves_meets_in_one_round_with_as_many_pairs_as_the_smaller_has() -> None:
    """Three leaves: three rounds; A with B two pairs, with C one."""
    assert leaf_rounds(TOPOLOGY, NODES) == 3
    pairs = [pair for turn in range(3) for pair in leaf_round(TOPOLOGY, NODES, turn)]
    crossed = sorted("".join(sorted(one[0].upper() + other[0].upper())) for one, other in pairs)
    assert crossed == ["AB", "AB", "AC", "BC"]
    assert leaf_rounds(Topology(), NODES) == 0
