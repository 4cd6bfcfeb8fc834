"""SIMULATED benchmark of the search for bad nodes and links: seeded clusters, no hardware.

The targets are those of the design: rounds, tests, and nobody wrongly blamed.
"""

import random
from dataclasses import replace

import pytest

from bedplate.validation.fabric.finding import LinkState, NodeState
from bedplate.validation.fabric.plan import COVER
from bedplate.validation.fabric.policy import Policy
from tests.validation.fabric.simulated_cluster import HEALTHY_GB_PER_S, QUIET, Cluster, search

SIZES = [*range(4, 41), 63, 64, 127, 128, 255, 256, 1023, 1024]


def quiet(**changes) -> Policy:
    """A policy by which no test fails by chance."""
    return replace(QUIET, **changes)


def names(indices) -> set[str]:
    """Node names of indices."""
    return {f"n{index:04}" for index in indices}


def blamed(found) -> set[str]:
    """The nodes at fault."""
    return set(found.in_state(NodeState.AT_FAULT))


@pytest.mark.parametrize("size", SIZES)
def test_exactly_the_bad_nodes_are_found_in_two_rounds(size) -> None:
    """SIMULATED: up to a quarter bad: all and only those, 2 rounds (3 for odd N), N/2 + 2k + 1 tests at
    most.
    """
    for seed in range(6 if size > 200 else 25):
        chance = random.Random(f"{size}-{seed}")
        count = chance.randint(0, size // 4)
        bad = chance.sample(range(size), count)
        slow = {node: chance.uniform(0.2, 0.8) for node in bad if chance.random() < 0.8}
        cluster = Cluster(size, slow=slow, hanging=frozenset(set(bad) - set(slow)), seed=seed)
        done = search(cluster)
        assert blamed(done.found) == names(bad), (size, seed)
        assert set(done.found.in_state(NodeState.CLEARED)) == set(cluster.nodes) - names(bad)
        assert done.found.links == ()
        assert len(done.rounds) <= 2 + size % 2
        assert done.tests <= size / 2 + 2 * count + 1


@pytest.mark.parametrize("size", [2, 4, 8, 64, 1024])
def test_a_healthy_cluster_takes_one_round_and_nobody_is_blamed(size) -> None:
    """SIMULATED: no fault: one round for an even number of nodes, everybody cleared."""
    done = search(Cluster(size), quiet(floor_gb_per_s=300))
    assert len(done.rounds) == 1
    assert set(done.found.in_state(NodeState.CLEARED)) == set(Cluster(size).nodes)
    assert not done.found.configuration


@pytest.mark.parametrize("size", [6, 8, 16, 64])
def test_a_bad_link_that_a_round_hits_is_named_and_its_nodes_are_cleared(size) -> None:
    """SIMULATED: one slow link in the first matching: named in 3 rounds at most, nobody blamed."""
    done = search(Cluster(size, slow_links={(2, 3): 0.5}))
    assert [(link.nodes, link.state) for link in done.found.links] == [
        (("n0002", "n0003"), LinkState.AT_FAULT)
    ]
    assert blamed(done.found) == set()
    assert len(done.found.in_state(NodeState.CLEARED)) == size
    assert len(done.rounds) <= 3


def test_a_passing_trouble_is_called_transient() -> None:
    """SIMULATED: a pair that fails once and then passes is neither a bad node nor a bad link."""
    done = search(Cluster(8, once={(4, 5)}))
    assert [(link.nodes, link.state) for link in done.found.links] == [
        (("n0004", "n0005"), LinkState.TRANSIENT)
    ]
    assert blamed(done.found) == set()


@pytest.mark.parametrize("size", [4, 5, 8, 9, 16, 33])
def test_full_coverage_tests_every_pair_exactly_once(size) -> None:
    """SIMULATED: in coverage mode N - 1 rounds (N for odd N) test each of N(N-1)/2 pairs once."""
    done = search(Cluster(size), quiet(cover_links=True))
    pairs = [tuple(sorted(group)) for plan in done.plans for group in plan.groups]
    assert len(pairs) == len(set(pairs)) == size * (size - 1) // 2
    assert done.found.links_tested == done.found.links_total
    if size % 2 == 0:
        assert len(done.rounds) == size - 1


@pytest.mark.parametrize("link", [(0, 5), (1, 6), (0, 7), (3, 4)])
def test_full_coverage_finds_a_bad_link_anywhere(link) -> None:
    """SIMULATED: a slow link that the first round does not hit is found by covering all links."""
    done = search(Cluster(8, slow_links={link: 0.6}), quiet(cover_links=True))
    assert [(set(found.nodes), found.state) for found in done.found.links] == [
        (names(link), LinkState.AT_FAULT)
    ]
    assert blamed(done.found) == set()


def test_coverage_leaves_out_the_nodes_at_fault() -> None:
    """SIMULATED: links of a node that is at fault anyway are not tested."""
    done = search(Cluster(8, slow={3: 0.5}), quiet(cover_links=True))
    covered = {
        node for plan in done.plans if plan.purpose == COVER for group in plan.groups for node in group
    }
    assert covered
    assert "n0003" not in covered


def test_noise_blames_nobody_wrongly_and_stays_in_five_rounds() -> None:
    """SIMULATED: 1 % false failures, 1 % risk: in 300 runs of 128 nodes at most 3 blame wrongly; 5 rounds
    each.
    """
    wrong = 0
    for seed in range(300):
        bad = random.Random(seed).sample(range(128), seed % 5)
        cluster = Cluster(128, slow=dict.fromkeys(bad, 0.5), false_failures=0.01, seed=seed)
        done = search(cluster, Policy())
        assert len(done.rounds) <= 5
        assert names(bad) <= blamed(done.found)
        links = [link for link in done.found.links if link.state is LinkState.AT_FAULT]
        wrong += blamed(done.found) != names(bad) or bool(links)
    assert wrong <= 3


@pytest.mark.parametrize("size", [4, 6, 8, 9, 64])
def test_all_pairs_slow_is_the_configuration_and_nobody_is_blamed(size) -> None:
    """SIMULATED: every pair 40 % slow against a sourced floor."""
    done = search(Cluster(size, everywhere=0.6), quiet(floor_gb_per_s=0.9 * HEALTHY_GB_PER_S))
    assert done.found.configuration
    assert blamed(done.found) == set()
    assert done.found.in_state(NodeState.CLEARED) == ()
    assert len(done.rounds) <= 4


def test_all_pairs_hanging_is_the_configuration_with_its_cause() -> None:
    """SIMULATED: where every test names one cause, the configuration is blamed for it."""
    done = search(Cluster(8, hanging=frozenset(range(8))))
    assert done.found.configuration
    assert done.found.configuration_cause == "collective-hang"
    assert blamed(done.found) == set()


@pytest.mark.parametrize("size", [8, 9, 16, 64, 65])
def test_a_majority_of_bad_nodes_leaves_no_reference_and_nobody_is_blamed(size) -> None:
    """SIMULATED: more than half bad: the search says so and invents no reference."""
    for seed in range(40):
        chance = random.Random(f"{size}-{seed}")
        bad = chance.sample(range(size), chance.randint(size // 2 + 1, size))
        slow = {node: chance.uniform(0.3, 0.8) for node in bad}
        done = search(Cluster(size, slow=slow, seed=seed), quiet(floor_gb_per_s=0.9 * HEALTHY_GB_PER_S))
        assert blamed(done.found) == set(), seed
        assert done.found.configuration or done.found.no_reference
        assert not names(bad) & set(done.found.in_state(NodeState.CLEARED))


@pytest.mark.parametrize("size", [8, 16, 64])
def test_without_a_floor_up_to_half_bad_nodes_are_never_cleared(size) -> None:
    """SIMULATED: between a quarter and less than half bad, no floor: whoever is named is bad, nobody bad is
    cleared.
    """
    for seed in range(40):
        chance = random.Random(f"half-{size}-{seed}")
        bad = chance.sample(range(size), chance.randint(size // 4 + 1, size // 2 - 1))
        done = search(Cluster(size, slow=dict.fromkeys(bad, 0.6), seed=seed))
        if len(done.found.in_state(NodeState.CLEARED)) == size:
            # One bad node in each pair: all pairs are equally slow, and without a floor nothing tells.
            assert all(len(set(group) & names(bad)) == 1 for group in done.plans[0].groups)
            continue
        assert blamed(done.found) <= names(bad)
        assert not names(bad) & set(done.found.in_state(NodeState.CLEARED))


@pytest.mark.parametrize("bad", [0, 1, 2])
def test_three_nodes_name_the_bad_one(bad) -> None:
    """SIMULATED: three pairs in three rounds decide."""
    done = search(Cluster(3, slow={bad: 0.5}))
    assert blamed(done.found) == names([bad])
    assert len(done.rounds) == 3


def test_three_nodes_name_a_bad_link() -> None:
    """SIMULATED: both nodes of the bad link pass with the third."""
    done = search(Cluster(3, slow_links={(0, 1): 0.5}))
    assert blamed(done.found) == set()
    assert [(link.nodes, link.state) for link in done.found.links] == [
        (("n0000", "n0001"), LinkState.AT_FAULT)
    ]


def test_two_nodes_cannot_be_told_apart() -> None:
    """SIMULATED: a bad pair without a third node is undetermined between both and the link."""
    done = search(Cluster(2, slow={0: 0.5}), quiet(floor_gb_per_s=300))
    assert set(done.found.in_state(NodeState.UNDETERMINED)) == names([0, 1])
    assert "link" in done.found.nodes["n0000"].reason
    assert len(done.rounds) == 2


def test_two_nodes_without_a_floor_are_not_compared_with_anything() -> None:
    """SIMULATED: one number and nothing to hold it against is no pass."""
    done = search(Cluster(2))
    assert set(done.found.in_state(NodeState.UNCOMPARED)) == names([0, 1])


def test_one_node_makes_no_statement() -> None:
    """SIMULATED: there is no network test with one node."""
    done = search(Cluster(1))
    assert done.rounds == ()
    assert done.found.in_state(NodeState.UNTESTED) == ("n0000",)


def test_a_node_whose_tests_say_nothing_is_undetermined_not_blamed() -> None:
    """SIMULATED: an unreadable log is neither a pass nor a proof of guilt."""
    done = search(Cluster(8, mute=frozenset({5})))
    assert done.found.in_state(NodeState.UNDETERMINED) == ("n0005",)
    assert blamed(done.found) == set()
    assert len(done.found.in_state(NodeState.CLEARED)) == 7


@pytest.mark.parametrize("size", [2, 3, 4, 8, 64])
def test_tests_that_could_not_be_made_are_no_fault_of_the_configuration(size) -> None:
    """SIMULATED: no launcher: nothing ran, so nothing is concluded, and the reason is kept."""
    found = search(Cluster(size, mute=frozenset(range(size)))).found
    assert not found.configuration
    assert found.not_made == "no log"
    assert found.links_tested == 0
    assert len(found.in_state(NodeState.UNDETERMINED)) == size
    assert all("no log" in finding.reason for finding in found.nodes.values())


def test_what_could_not_be_made_adds_nothing_to_a_failure() -> None:
    """SIMULATED: six of eight nodes say nothing, the pair that ran is slow: no configuration is blamed."""
    cluster = Cluster(8, mute=frozenset(range(2, 8)), everywhere=0.3)
    found = search(cluster, quiet(floor_gb_per_s=300.0)).found
    assert not found.configuration
    assert blamed(found) == set()
    assert found.in_state(NodeState.CLEARED) == ()


def test_a_slow_node_is_named_beside_one_that_says_nothing() -> None:
    """SIMULATED: silence neither hides a fault nor is taken for one."""
    found = search(Cluster(8, slow={0: 0.5}, mute=frozenset({1}))).found
    assert blamed(found) == {"n0000"}
    assert found.in_state(NodeState.UNDETERMINED) == ("n0001",)


def test_a_search_is_the_same_each_time() -> None:
    """SIMULATED: same cluster, same plan: nothing is drawn by chance."""
    assert search(Cluster(31, slow={4: 0.5})).plans == search(Cluster(31, slow={4: 0.5})).plans
