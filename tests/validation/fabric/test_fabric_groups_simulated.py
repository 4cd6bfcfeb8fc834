"""SIMULATED: faults that are of no single node: leaves, groups that do not work with each other, nodes that
come and go, nodes that do not come free. No hardware was measured.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from bedplate.validation.fabric.finding import LinkState, NodeState
from bedplate.validation.fabric.localise import localise
from bedplate.validation.fabric.observation import Ended, FinishedRound, Observation, PlannedRound
from bedplate.validation.fabric.plan import Planner
from bedplate.validation.fabric.policy import Policy
from tests.validation.fabric.simulated_cluster import FLOOR_GB_PER_S, HEALTHY_GB_PER_S, QUIET, Cluster, search

NOISY = Policy()
COVERING = replace(QUIET, cover_leaves=True)


@pytest.mark.parametrize(("size", "width"), [(16, 4), (15, 5), (64, 8), (66, 11)])
@pytest.mark.parametrize("policy", [COVERING, replace(COVERING, false_failures=0.01)])
def test_a_leaf_with_a_slow_way_out_is_named_and_none_of_its_nodes(size, width, policy) -> None:
    """SIMULATED: its nodes pass with each other, and fail with all others: the leaf, by all its nodes."""
    found = search(Cluster(size, leaf_size=width, slow_leaves={1: 0.5}), policy).found
    (leaf,) = found.leaves
    assert leaf.leaves == ("leaf-001",)
    assert set(leaf.nodes) == {f"n{node:04}" for node in range(width, 2 * width)}
    assert leaf.confidence > 0.99
    assert leaf.because
    assert found.in_state(NodeState.CLEARED) == tuple(found.nodes)
    assert found.links_in_state(LinkState.AT_FAULT) == ()
    assert not found.configuration


@pytest.mark.parametrize(("size", "width"), [(16, 4), (64, 8)])
def test_a_slow_path_between_two_leaves_is_told_from_either_leaf(size, width) -> None:
    """SIMULATED: both leaves work with the others: it is what lies between the two."""
    found = search(Cluster(size, leaf_size=width, slow_leaf_paths={(0, 2): 0.5}), COVERING).found
    assert [leaf.leaves for leaf in found.leaves] == [("leaf-000", "leaf-002")]
    assert found.in_state(NodeState.AT_FAULT) == ()


def test_covering_leaves_takes_one_round_less_than_there_are_leaves() -> None:
    """SIMULATED: after the screening round, every pair of leaves in L - 1 rounds with all nodes busy."""
    done = search(Cluster(64, leaf_size=8), COVERING)
    assert len(done.rounds) == 1 + 7
    assert all(len(plan.groups) == 32 for plan in done.plans)


def test_a_link_that_leaves_its_leaf_is_told_from_the_leaf_in_the_round_that_repeats_it() -> None:
    """SIMULATED: odd leaves, so that the first round crosses: a link, a leaf and a path are told apart."""
    link = search(Cluster(15, leaf_size=5, slow_links={(4, 9): 0.5}))
    leaf = search(Cluster(15, leaf_size=5, slow_leaves={1: 0.5}))
    assert [one.nodes for one in link.found.links_in_state(LinkState.AT_FAULT)] == [("n0004", "n0009")]
    assert link.found.leaves == ()
    assert [one.leaves for one in leaf.found.leaves] == [("leaf-001",)]
    assert leaf.found.links_in_state(LinkState.AT_FAULT) == ()
    assert len(link.rounds) == len(leaf.rounds) == 3


@pytest.mark.parametrize(("size", "width"), [(16, 4), (64, 8)])
def test_a_leaf_whose_nodes_all_fail_is_named_for_them(size, width) -> None:
    """SIMULATED: four nodes of one leaf at once are rather their switch; none of them is blamed."""
    cluster = Cluster(size, leaf_size=width, slow=dict.fromkeys(range(width, 2 * width), 0.5))
    found = search(cluster).found
    assert [leaf.leaves for leaf in found.leaves] == [("leaf-001",)]
    assert found.in_state(NodeState.AT_FAULT) == ()
    assert len(found.in_state(NodeState.UNDETERMINED)) == width
    assert "leaf-001" in found.nodes[cluster.nodes[width]].reason


def test_one_bad_node_of_a_leaf_is_still_named() -> None:
    """SIMULATED: its neighbours pass, with it they fail; a known topology hides no node."""
    for bad in range(16):
        found = search(Cluster(16, leaf_size=4, slow={bad: 0.5})).found
        assert found.in_state(NodeState.AT_FAULT) == (f"n{bad:04}",)
        assert found.leaves == ()


@pytest.mark.parametrize("size", [12, 16, 24, 64, 128])
@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_half_the_fleet_of_another_kind_names_no_innocent_node(size, noise) -> None:
    """SIMULATED: each half works with itself only; nobody is blamed, however the halves lie."""
    told = 0
    for seed in range(40 if size < 64 else 8):
        other = frozenset(random.Random(f"{size}-{seed}").sample(range(size), size // 2))
        found = search(Cluster(size, other_side=other, seed=seed, false_failures=noise), NOISY).found
        assert found.in_state(NodeState.AT_FAULT) == (), seed
        told += found.configuration
        if found.configuration:
            assert found.confidence is not None
            assert found.because
    assert told >= 30 or size >= 64


@pytest.mark.parametrize("size", [24, 64])
def test_two_kinds_of_nodes_are_listed_apart(size) -> None:
    """SIMULATED: an eighth of another kind: where two groups are told, each is of one kind alone."""
    told = 0
    for seed in range(10):
        other = set(random.Random(f"{size}-{seed}").sample(range(size), size // 8))
        found = search(Cluster(size, other_side=frozenset(other), seed=seed), NOISY).found
        assert found.configuration or not found.groups_apart
        told += bool(found.groups_apart)
        for group in found.groups_apart:
            assert len({int(name[1:]) in other for name in group}) == 1
    assert told >= 3


@pytest.mark.parametrize("size", [8, 9, 16, 64])
def test_a_misconfigured_half_that_fails_with_everybody_names_no_innocent(size) -> None:
    """SIMULATED: half of the nodes slow with all: who is named is slow, and surely nobody acts upon it."""
    for seed in range(20):
        bad = random.Random(f"{size}-{seed}").sample(range(size), size // 2)
        policy = replace(NOISY, floor_gb_per_s=FLOOR_GB_PER_S)
        found = search(Cluster(size, slow=dict.fromkeys(bad, 0.6), seed=seed), policy).found
        named = found.in_state(NodeState.AT_FAULT)
        assert set(named) <= {f"n{node:04}" for node in bad}
        if 4 * len(named) > size:
            assert max(found.nodes[name].confidence or 0 for name in named) < 0.9


def _observe(planner: Planner, rates: dict[tuple[str, str], list[float]], *, stuck: frozenset[str]) -> None:
    """Run all that the planner asks; a pair takes the rates of its list in turn, the last one for good."""
    while plan := planner.next():
        seen = []
        for group in plan.groups:
            left = rates.get((min(group), max(group)), [HEALTHY_GB_PER_S])
            rate = left.pop(0) if len(left) > 1 else left[0]
            seen.append(
                Observation(group, Ended.MEASURED, rate)
                if rate
                else Observation(
                    group, Ended.BROKEN, cause="collective-hang", detail="it ran past its deadline"
                )
            )
        planner.add(FinishedRound(plan, tuple(seen), stuck))
        assert len(planner.ledger.rounds) < 100


def test_a_node_that_bad_links_meet_in_is_at_fault_though_it_passed_once() -> None:
    """SIMULATED: it comes and goes: one pass, then failures with every partner: the node, not seven links."""
    nodes = [f"n{number}" for number in range(8)]
    planner = Planner(nodes=nodes, policy=replace(QUIET, cover_links=True))
    bad = {("n0", f"n{number}"): [100.0] for number in range(2, 8)}
    _observe(planner, bad, stuck=frozenset())
    found = localise(planner)
    assert found.in_state(NodeState.AT_FAULT) == ("n0",)
    assert "passed once" in found.nodes["n0"].reason
    assert found.links_in_state(LinkState.AT_FAULT) == ()


def test_a_node_that_does_not_come_free_is_in_no_further_test() -> None:
    """SIMULATED: after a kill its GPUs may be held: it is undetermined, its partner is cleared elsewhere."""
    planner = Planner(nodes=["a", "b", "c", "d"], policy=QUIET)
    _observe(planner, {("a", "b"): [0.0]}, stuck=frozenset({"a"}))
    found = localise(planner)
    later = [
        node for finished in planner.ledger.rounds[1:] for group in finished.plan.groups for node in group
    ]
    assert "a" not in later
    assert found.in_state(NodeState.UNDETERMINED) == ("a",)
    assert "idle" in found.nodes["a"].reason
    assert set(found.in_state(NodeState.CLEARED)) == {"b", "c", "d"}


def test_nodes_that_do_not_come_free_end_a_search_that_has_no_reference() -> None:
    """SIMULATED: every test hangs, and half of the nodes stay busy: no pair is asked for twice."""
    nodes = [f"n{number}" for number in range(8)]
    planner = Planner(nodes=nodes, policy=NOISY)
    hangs = {(one, other): [0.0] for one in nodes for other in nodes if one < other}
    _observe(planner, hangs, stuck=frozenset(nodes[::2]))
    asked = [group for finished in planner.ledger.rounds for group in finished.plan.groups]
    assert len(asked) == len({frozenset(group) for group in asked})
    assert localise(planner).in_state(NodeState.CLEARED) == ()


def test_every_blame_is_argued_by_its_tests() -> None:
    """SIMULATED: a node at fault has its failed tests in order, and how sure it is."""
    done = search(Cluster(8, slow={3: 0.5}), NOISY)
    finding = done.found.nodes["n0003"]
    assert finding.confidence is not None
    assert finding.confidence > 0.99
    assert [text.split(",")[0] for text in finding.because] == ["Round 1", "Round 2", "Round 3"]
    assert all("n0003" in text and "below" in text for text in finding.because)


def test_whoever_may_fail_by_chance_is_tested_once_more_before_it_is_blamed() -> None:
    """SIMULATED: one round more confirms where there is noise, and none where there is not."""
    assert len(search(Cluster(8, slow={3: 0.5}), QUIET).rounds) == 2
    confirmed = search(Cluster(8, slow={3: 0.5}), NOISY)
    assert len(confirmed.rounds) == 3
    assert confirmed.plans[-1].purpose.startswith("confirm")


def test_a_failure_beside_a_faulty_partner_proves_nothing() -> None:
    """SIMULATED: an innocent node that failed with a bad one is not blamed for one failure by chance."""
    planner = Planner(nodes=["a", "b", "c", "d", "e", "f", "g", "h"], policy=NOISY)
    chance = {("b", "d"): [100.0, HEALTHY_GB_PER_S]}
    bad = {("a", other): [100.0] for other in "bcdefgh"}
    _observe(planner, {**bad, **chance}, stuck=frozenset())
    assert localise(planner).in_state(NodeState.AT_FAULT) == ("a",)


@pytest.mark.parametrize("size", [33, 64])
def test_what_fails_by_chance_in_a_coverage_is_followed_up_to_its_end(size) -> None:
    """SIMULATED: twenty of two thousand tests fail by chance: no link is blamed, and none is left open."""
    policy = replace(NOISY, cover_links=True)
    for seed in range(3):
        done = search(Cluster(size, false_failures=0.01, seed=seed), policy)
        assert done.found.links_tested == done.found.links_total
        assert {link.state for link in done.found.links} <= {LinkState.TRANSIENT}
        assert len(done.rounds) < size + 8


@pytest.mark.parametrize("size", [4, 9, 64])
def test_a_search_is_bounded_whatever_the_tests_say(size) -> None:
    """SIMULATED: random outcomes of every sort: the rounds end, within the policy's bound."""
    for seed in range(60):
        chance = random.Random(f"{size}-{seed}")
        planner = Planner(nodes=[f"n{number}" for number in range(size)], policy=NOISY)
        while plan := planner.next():
            planner.add(FinishedRound(plan, tuple(_anything(group, chance) for group in plan.groups)))
            assert len(planner.ledger.rounds) <= NOISY.rounds_at_most
        found = localise(planner)
        assert set(found.nodes) == set(planner.nodes)


def _anything(group: tuple[str, ...], chance: random.Random) -> Observation:
    kind = chance.choice(list(Ended))
    if kind is Ended.MEASURED:
        return Observation(group, kind, chance.choice([HEALTHY_GB_PER_S, 100.0]))
    return Observation(group, kind, detail="chance")


def test_a_round_that_was_recorded_is_taken_up_as_it_was() -> None:
    """SIMULATED: a planner that is given the rounds so far goes on as the one that made them would."""
    cluster = Cluster(16, slow={3: 0.5, 4: 0.4}, seed=1)
    whole = search(cluster, NOISY)
    resumed = Planner(nodes=cluster.nodes, policy=NOISY)
    for finished, planned in zip(whole.rounds, whole.plans, strict=True):
        assert resumed.next() == planned
        resumed.add(finished)
    assert resumed.next() is None
    assert localise(resumed) == whole.found


def test_a_planned_round_has_each_node_once() -> None:
    """The groups of a round run at once, so no node may stand in two of them."""
    planner = Planner(nodes=["a", "b", "c"], policy=QUIET)
    plan = planner.next()
    assert plan == PlannedRound(1, plan.purpose, (("a", "b"),)) if plan else False
