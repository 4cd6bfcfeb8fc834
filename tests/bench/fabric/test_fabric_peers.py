"""SIMULATED: each peer's scheme takes as many rounds as its own authors say."""

from __future__ import annotations

from random import Random

import pytest

from tests.bench.fabric.cluster import Cluster
from tests.bench.fabric.peers.all_pairs import circle, sequential
from tests.bench.fabric.peers.domains import domains, screening_groups
from tests.bench.fabric.peers.known_good import known_good
from tests.bench.fabric.peers.pairs_in_sequence import pairs_in_sequence
from tests.bench.fabric.peers.random_pairs import random_pairs

PUBLISHED_AT = 232
"""The cluster size that NVIDIA's design note counts for."""


def cluster(size: int, *bad: int) -> Cluster:
    """A cluster with slow nodes."""
    return Cluster(size, slow=dict.fromkeys(bad, 0.5))


@pytest.mark.parametrize("size", [4, 64, PUBLISHED_AT])
def test_random_pairs_take_one_round(size) -> None:
    """oci-hpc: one; here N / 2 tests at once, and an innocent partner is blamed with each bad node."""
    said = random_pairs(cluster(size, 1), Random(1))
    assert (said.rounds, said.tests) == (1, size // 2)
    assert len(said.nodes) == 2


@pytest.mark.parametrize("size", [4, 64, PUBLISHED_AT])
def test_pairs_in_sequence_take_half_as_many_rounds_as_nodes(size) -> None:
    """gcm pairwise-quick: N / 2 tests, one after another."""
    assert pairs_in_sequence(cluster(size, 1), Random(1)).rounds == size // 2


@pytest.mark.parametrize(("size", "bad"), [(4, 1), (64, 16), (PUBLISHED_AT, 58)])
def test_pairs_then_known_good_take_two_rounds(size, bad) -> None:
    """cluster-health-scanner: two passes, whoever is bad, and one where nobody is."""
    said = known_good(cluster(size, *range(bad)), Random(1))
    assert said.rounds == 2
    assert said.nodes == set(range(bad))
    assert known_good(cluster(size), Random(1)).rounds == 1


@pytest.mark.parametrize(("size", "rounds"), [(4, 3), (5, 5), (64, 63), (65, 65), (PUBLISHED_AT, 231)])
def test_the_circle_method_takes_one_round_less_than_nodes(size, rounds) -> None:
    """SuperBench: N - 1 rounds for an even number of nodes, N for an odd one, each pair once."""
    said = circle(cluster(size, 0), Random(1))
    assert (said.rounds, said.tests) == (rounds, size * (size - 1) // 2)
    assert said.nodes == {0}


def test_all_pairs_of_232_nodes_are_26796() -> None:
    """The count that NVIDIA's design note gives for exhaustive pairs, one after another as gcm has it."""
    said = sequential(cluster(PUBLISHED_AT, 0), Random(1))
    assert (said.rounds, said.tests) == (26_796, 26_796)


def test_domains_take_three_rounds_where_all_is_well() -> None:
    """NVCRE's design note 055: all healthy, 3 rounds; groups of 16 at N = 232."""
    assert {len(group) for group in screening_groups(PUBLISHED_AT)} == {16, 8}
    said = domains(cluster(PUBLISHED_AT), Random(1))
    assert said.rounds == 3
    assert said.nodes == set()


@pytest.mark.parametrize("bad", [(5,), (5, 100, 200)])
def test_domains_take_seven_rounds_where_nodes_are_bad(bad) -> None:
    """NVCRE's design note 055: 7 rounds for one bad node and for three; about 57 tests for three."""
    said = domains(cluster(PUBLISHED_AT, *bad), Random(1))
    assert said.rounds == 7
    assert said.nodes == set(bad)
    if len(bad) == 3:
        assert said.tests == pytest.approx(57, abs=4)


def test_domains_say_that_a_boundary_is_at_fault() -> None:
    """Design note 056: where both halves of a failed group pass, groups of both are mixed."""
    said = domains(Cluster(PUBLISHED_AT, slow_links={(0, 15): 0.5}), Random(1))
    assert said.nodes == set()
    assert said.rounds > 3


@pytest.mark.parametrize("scheme", [known_good, domains, circle, sequential])
@pytest.mark.parametrize("size", [4, 5, 8, 16, 33, 64])
def test_schemes_that_are_meant_to_name_nodes_name_all_and_only_the_bad_ones(scheme, size) -> None:
    """Without noise and with up to a quarter bad nothing is held against a peer that its authors solved."""
    for seed in range(40):
        chance = Random(f"{size}-{seed}")
        bad = chance.sample(range(size), chance.randint(0, size // 4))
        assert scheme(cluster(size, *bad), chance).nodes == set(bad), (size, seed)
