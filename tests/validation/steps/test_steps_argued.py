"""SIMULATED: every verdict between nodes that is no pass says how sure it is, and by which tests."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from bedplate.diagnosis.verdict import Outcome
from bedplate.validation.fabric.finding import LinkFinding, LinkState
from bedplate.validation.steps import search_fabric
from bedplate.validation.steps.collective_tests import GroupTest
from bedplate.validation.steps.explained_slowness import slowness_of
from tests.validation.steps.small_cluster import context_of, judgement, name, verdicts_of
from tests.validation.steps.test_steps_between_nodes import Runs, run


@pytest.mark.parametrize(
    ("size", "faults", "words", "outcome", "least", "most"),
    [
        (2, {"hang": (0,)}, "no reliable reference", Outcome.ERROR, 0.15, 0.25),
        (4, {"slow": (0, 2)}, "two groups of nodes differ", Outcome.ERROR, 0.6, 0.75),
        (8, {"hang": (0, 1, 2, 3, 4)}, "no reliable reference", Outcome.ERROR, 0.99, 1.0),
        (4, {"hang": (0, 1, 2, 3)}, "no pair of nodes passed", Outcome.FAIL, 0.9, 1.0),
        (4, {"links": ((0, 1),)}, "1 link(s) at fault", Outcome.FAIL, 0.9, 1.0),
    ],
)
def test_what_is_said_of_the_links_is_argued(
    monkeypatch, size: int, faults: dict[str, Any], words: str, outcome: Outcome, least: float, most: float
) -> None:
    """Two nodes, halves, a majority, all of them, one link: a confidence, and the tests that led there; each
    node that is left in doubt has both too.
    """
    named = {
        kind: [tuple(map(name, one)) if isinstance(one, tuple) else name(one) for one in which]
        for kind, which in faults.items()
    }
    Runs(monkeypatch, **named)
    context = context_of(nodes=size)
    run(context)
    links = verdicts_of(context, "FAB-002")[()]
    assert (links.outcome, words in links.summary) == (outcome, True), links.summary
    assert links.confidence is not None
    assert least < links.confidence <= most
    assert any("Round 1, " in sentence for sentence in links.because)
    for node in verdicts_of(context, "FAB-001").values():
        if node.outcome is not Outcome.PASS:
            assert node.confidence is not None
            assert node.because


def test_halves_that_a_version_divides_are_argued_too(monkeypatch) -> None:
    """The setting is named, and its tests are there."""
    Runs(monkeypatch, slow=[name(0), name(2)])
    context = context_of(nodes=4)
    for index, node in enumerate(context.record.nodes):
        node.versions = {"libfabric": "2.1" if index in (0, 2) else "1.9"}
    run(context)
    links = verdicts_of(context, "FAB-002")[()]
    assert (links.outcome, links.cause) == (Outcome.FAIL, "fabric-configuration")
    assert links.confidence is not None
    assert links.because


def test_a_search_in_which_no_test_could_be_made_tells_of_each(monkeypatch) -> None:
    """Nothing is inferred: no confidence, and the tests with why they said nothing."""

    def refused(_context, *, groups, **_) -> list[GroupTest]:
        return [
            GroupTest(tuple(node.node for node in group), None, "refused", (), stopped=False)
            for group in groups
        ]

    monkeypatch.setattr(search_fabric, "run_groups", refused)
    context = context_of(nodes=2)
    run(context)
    links = verdicts_of(context, "FAB-002")[()]
    assert (links.outcome, links.confidence) == (Outcome.ERROR, None)
    assert links.because[0] == f"Round 1, {name(0)} ↔ {name(1)}: said nothing (refused)"


def test_a_pass_needs_no_argument(monkeypatch) -> None:
    """Nothing is inferred from nodes that are well."""
    Runs(monkeypatch)
    context = context_of(nodes=6)
    run(context)
    links = verdicts_of(context, "FAB-002")[()]
    assert (links.outcome, links.confidence, links.because) == (Outcome.PASS, None, ())


def test_slow_together_says_which_tests_were_slow_and_how_sure_it_is(monkeypatch) -> None:
    """Each collective over all nodes, and the pairs that were tested before."""
    runs = Runs(monkeypatch, together=Outcome.FAIL)
    context = context_of(nodes=6)
    run(context)
    together = verdicts_of(context, "NCL-003")[()]
    assert together.cause == "slow-together"
    assert together.confidence is not None
    assert 0.2 < together.confidence < 0.99
    collectives = list(dict.fromkeys(runs.collectives))
    assert [line.split(":")[0] for line in together.because] == [
        *(f"{collective} over 6 nodes" for collective in collectives),
        "Pairs",
    ]
    assert together.because[-1] == "Pairs: 15 of 15 links were tested, none is at fault"


def test_a_slow_collective_beside_one_that_is_well_is_less_sure(monkeypatch) -> None:
    """What passed is told as well, and only what was slow with no cause of its own counts."""
    Runs(monkeypatch)
    context = context_of(nodes=4)
    found = search_fabric.new_search(
        context, context.record.manifest.pools[0], {node.node: node for node in context.record.nodes}
    ).run()
    nodes = [node.node for node in context.record.nodes]

    def bandwidth(outcome: Outcome, cause: str | None = None) -> Any:
        return judgement(nodes, scope="all-nodes", bandwidth=outcome, bandwidth_cause=cause).bandwidth

    slow, well = bandwidth(Outcome.FAIL), bandwidth(Outcome.PASS)
    hung, untold = bandwidth(Outcome.FAIL, "collective-hang"), bandwidth(Outcome.NOT_TESTED)
    one = slowness_of(found, [("a", slow), ("b", well), ("c", hung), ("d", untold)], false_failures=0.01)
    both = slowness_of(found, [("a", slow), ("b", slow)], false_failures=0.01)
    assert (one.slow, both.slow) == (1, 2)
    assert [line.split(":")[0] for line in one.told] == ["a", "b", "c"]
    assert one.explained(hung) == hung
    assert one.explained(slow).cause is None  # two of six links were tested: it is not located
    covered = dataclasses.replace(found, links_tested=found.links_total)
    sure = [dataclasses.replace(each, found=covered).explained(slow).confidence for each in (one, both)]
    assert 0 < (sure[0] or 0) < (sure[1] or 0) < 1


def test_pairs_that_are_undetermined_are_not_called_well(monkeypatch) -> None:
    """The cluster is named all the same, and the words say how many links nothing is known of."""
    Runs(monkeypatch)
    context = context_of(nodes=4)
    found = search_fabric.new_search(
        context, context.record.manifest.pools[0], {node.node: node for node in context.record.nodes}
    ).run()
    nodes = [node.node for node in context.record.nodes]
    slow = judgement(nodes, scope="all-nodes", bandwidth=Outcome.FAIL).bandwidth
    covered = dataclasses.replace(found, links_tested=found.links_total)
    doubted = dataclasses.replace(
        covered, links=(LinkFinding((nodes[0], nodes[1]), LinkState.UNDETERMINED, None),)
    )
    told = {
        count: slowness_of(each, [("a", slow)], false_failures=0.01).explained(slow)
        for count, each in ((0, covered), (1, doubted))
    }
    assert told[0].summary.endswith("every pair of nodes is well, so it is nothing of one node or link")
    assert "every pair" not in told[1].summary
    assert told[1].summary.endswith(
        "no pair of nodes is at fault, and 1 of 6 links are undetermined: most likely it is nothing of one "
        "node or link"
    )
    assert {one.cause for one in told.values()} == {"slow-together"}
