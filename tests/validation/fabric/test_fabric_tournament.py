"""Tests of the schedule in which every pair meets once."""

import pytest

from bedplate.validation.fabric.tournament import rounds_of, tournament, tournament_round


def _meets_each_pair_once(nodes: int) -> bool:
    seen = bytearray(nodes * nodes)
    for turn in range(rounds_of(nodes)):
        busy = bytearray(nodes)
        for left, right in tournament_round(range(nodes), turn):
            place = left * nodes + right if left < right else right * nodes + left
            if seen[place] or busy[left] or busy[right]:
                return False
            seen[place] = busy[left] = busy[right] = 1
    return sum(seen) == nodes * (nodes - 1) // 2


@pytest.mark.parametrize("nodes", [*range(2, 40), 255, 256])
def test_every_pair_meets_exactly_once_and_rounds_are_disjoint(nodes) -> None:
    """N - 1 rounds for an even number of nodes, N for an odd one; no fewer are possible."""
    assert rounds_of(nodes) == (nodes - 1 if nodes % 2 == 0 else nodes)
    assert _meets_each_pair_once(nodes)


@pytest.mark.slow
def test_every_pair_of_thousands_of_nodes_meets_exactly_once() -> None:
    """Eight million pairs, one round in memory at a time."""
    assert _meets_each_pair_once(4096)


def test_the_first_round_pairs_neighbours() -> None:
    """Who stands side by side in the given order meets first."""
    assert {frozenset(pair) for pair in tournament_round("abcdef", 0)} == {
        frozenset("ab"),
        frozenset("cd"),
        frozenset("ef"),
    }


@pytest.mark.parametrize("nodes", [0, 1])
def test_fewer_than_two_nodes_have_no_round(nodes) -> None:
    """Nobody to meet."""
    assert rounds_of(nodes) == 0
    assert list(tournament(range(nodes))) == []
