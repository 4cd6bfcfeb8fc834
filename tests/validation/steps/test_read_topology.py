"""SIMULATED: tests of what EC2 is asked about the place of nodes, with answers made by hand."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from botocore.exceptions import ClientError

from bedplate.diagnosis.verdict import Outcome
from bedplate.validation.fabric.topology import Topology
from bedplate.validation.steps import between_nodes, search_fabric
from bedplate.validation.steps.collective_tests import GroupTest
from bedplate.validation.steps.read_topology import read_topology
from tests.validation.steps.small_cluster import context_of, judgement, name, verdicts_of


class Pages:
    """DescribeInstanceTopology: two pages a call, of the ids that were asked for."""

    def __init__(self, paths: dict[str, list[str] | None]) -> None:
        self.paths = paths
        self.asked: list[int] = []

    def paginate(self, *, InstanceIds: list[str]) -> list[dict]:  # noqa: N803
        """Rows for those that have one; EC2 leaves others out or tells null."""
        self.asked.append(len(InstanceIds))
        rows = [
            {"InstanceId": one, "NetworkNodes": self.paths[one]} for one in InstanceIds if one in self.paths
        ]
        return [{"Instances": rows[::2]}, {"Instances": rows[1::2]}]


def clients(pages) -> SimpleNamespace:
    """Clients whose EC2 has this paginator."""
    return SimpleNamespace(ec2=SimpleNamespace(get_paginator=lambda _: pages))


def test_a_hundred_ids_are_asked_for_at_a_time() -> None:
    """EC2 takes no more; all pages are read."""
    pages = Pages({f"i-{number}": ["top", f"leaf-{number // 4}"] for number in range(230)})
    topology, problem = read_topology(clients=clients(pages), instance_ids=list(pages.paths))
    assert pages.asked == [100, 100, 30]
    assert len(topology.paths) == 230
    assert topology.leaf("i-229") == "leaf-57"
    assert problem == ""


def test_instances_without_network_nodes_are_counted_and_stay_unknown() -> None:
    """EC2 tells null or nothing for types that it does not support."""
    pages = Pages({"i-1": ["top", "A"], "i-2": None, "i-3": []})
    topology, problem = read_topology(clients=clients(pages), instance_ids=["i-1", "i-2", "i-3", "i-4"])
    assert list(topology.paths) == ["i-1"]
    assert "3 instances" in problem


@pytest.mark.parametrize("code", ["UnauthorizedOperation", "UnsupportedOperation"])
def test_a_refusal_is_told_and_stops_nothing(code) -> None:
    """A search without a topology is still right."""

    def refuse(**_: object) -> list[dict]:
        raise ClientError({"Error": {"Code": code, "Message": "no"}}, "DescribeInstanceTopology")

    topology, problem = read_topology(
        clients=clients(SimpleNamespace(paginate=refuse)), instance_ids=["i-1", "i-2"]
    )
    assert topology == Topology()
    assert "where the nodes stand" in problem


def _runs(monkeypatch, slow) -> list[tuple[str, ...]]:
    """Play ``run_groups``: a group is slow where ``slow`` says so; returns the groups as they are tested."""
    tested: list[tuple[str, ...]] = []

    def run(context, *, groups, scope, **_) -> list[GroupTest]:
        tests = []
        for group in groups:
            nodes = tuple(node.node for node in group)
            tested.append(nodes)
            bad = slow(nodes)
            outcome = Outcome.FAIL if bad and scope == "all-nodes" else Outcome.PASS
            seen = judgement(nodes, scope=scope, gb_per_s=180.0 if bad else 370.0, bandwidth=outcome)
            tests.append(GroupTest(nodes, seen, "", ("log",), stopped=False))
        return tests

    monkeypatch.setattr(search_fabric, "run_groups", run)
    monkeypatch.setattr(between_nodes, "run_groups", run)
    monkeypatch.setattr(between_nodes, "is_absolute", lambda *_: True)
    return tested


def test_pairs_share_a_leaf_where_that_can_be(monkeypatch) -> None:
    """Even and odd nodes on two leaves: the first round crosses none."""
    tested = _runs(monkeypatch, lambda _: False)
    context = context_of(nodes=8)
    leaf = {name(number): f"leaf-{number % 2}" for number in range(8)}
    context.transport.leaves = leaf
    between_nodes.check_between_nodes(context)
    assert all(leaf[left] == leaf[right] for left, right in tested[:4])
    assert context.record.notes == []


def test_a_leaf_is_named_where_all_nodes_are_slow_and_each_pair_of_a_leaf_is_well(monkeypatch) -> None:
    """The way out of one leaf is slow: leaves are covered, FAB-002 names it, and no node is blamed."""
    leaf = {name(number): f"leaf-{number // 4}" for number in range(12)}

    def slow(nodes) -> bool:
        under = {leaf[node] for node in nodes}
        return len(under) > 1 and "leaf-1" in under

    _runs(monkeypatch, slow)
    context = context_of(nodes=12)
    context.transport.leaves = leaf
    between_nodes.check_between_nodes(context)
    verdict = verdicts_of(context, "FAB-002")[()]
    assert verdict.outcome is Outcome.FAIL
    assert verdict.cause == "leaf-slow"
    assert "leaf-1" in verdict.summary
    assert verdict.confidence is not None
    assert verdict.confidence > 0.99
    assert verdict.because
    assert {one.outcome for one in verdicts_of(context, "FAB-001").values()} == {Outcome.PASS}
    assert "leaf-1 is at fault" in verdicts_of(context, "NCL-003")[()].summary
    assert len(context.record.rounds) == 4


def test_two_groups_that_do_not_work_together_are_listed_and_nobody_is_blamed(monkeypatch) -> None:
    """Half of the nodes of another kind: the configuration is at fault, by all links that fail."""
    other = {name(number) for number in (0, 3, 5, 6, 9, 10)}
    _runs(monkeypatch, lambda nodes: 0 < len(other & set(nodes)) < len(nodes))
    context = context_of(nodes=12)
    between_nodes.check_between_nodes(context)
    verdict = verdicts_of(context, "FAB-002")[()]
    assert verdict.cause == "fabric-configuration"
    assert verdict.confidence is not None
    assert not [one for one in verdicts_of(context, "FAB-001").values() if one.outcome is Outcome.FAIL]


def test_a_blamed_node_carries_its_confidence_and_the_tests_that_led_there(monkeypatch) -> None:
    """Three failed tests, in order; a cleared node needs no argument."""
    _runs(monkeypatch, lambda nodes: name(2) in nodes)
    context = context_of(nodes=8)
    between_nodes.check_between_nodes(context)
    said = verdicts_of(context, "FAB-001")
    assert said[(name(2),)].confidence is not None
    assert said[(name(2),)].confidence > 0.99
    assert len(said[(name(2),)].because) == 3
    assert said[(name(1),)].because == ()


def test_an_environment_that_asks_for_it_has_every_link_covered(monkeypatch) -> None:
    """``cover_links``: N - 1 rounds, every pair once, also where nothing is slow."""
    tested = _runs(monkeypatch, lambda _: False)
    context = context_of(nodes=6)
    wanted = context.record.manifest.validation.model_copy(update={"cover_links": True})
    context.record.manifest = context.record.manifest.model_copy(update={"validation": wanted})
    between_nodes.check_between_nodes(context)
    pairs = [frozenset(nodes) for nodes in tested if len(nodes) == 2]
    assert len(pairs) == len(set(pairs)) == 15
    assert len(context.record.rounds) == 5
    assert "15 of 15 links" in verdicts_of(context, "FAB-002")[()].summary


def test_a_node_that_does_not_come_free_is_in_no_further_test(monkeypatch) -> None:
    """After a kill Slurm still has it busy: the next rounds and the run over all nodes go without it."""
    tested = _runs(monkeypatch, lambda _: False)
    play = search_fabric.run_groups

    def stuck(context, *, groups, scope, **more):
        tests = play(context, groups=groups, scope=scope, **more)
        context.record.nodes[0].why_not_loaded = "Slurm says COMPLETING 120 s after a job was stopped there"
        return tests

    monkeypatch.setattr(search_fabric, "run_groups", stuck)
    context = context_of(nodes=4)
    between_nodes.check_between_nodes(context)
    assert all(name(0) not in nodes for nodes in tested[2:])
    together = verdicts_of(context, "NCL-003")[()]
    assert together.outcome is Outcome.NOT_TESTED
    assert "3 of 4 nodes" in together.summary
