"""SIMULATED: which smaller groups are run where nothing absolute holds for all, and what they decide."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.diagnosis.bandwidth_expectation import Reference
from bedplate.diagnosis.verdict import Outcome
from bedplate.hardware import instance_type
from bedplate.validation.fabric.observation import Ended, FinishedRound, Observation, PlannedRound
from bedplate.validation.steps import between_nodes, reference_groups, search_fabric
from bedplate.validation.steps.collective_tests import GroupTest
from bedplate.validation.steps.reference_groups import Groups, group_size, is_absolute, measure_groups
from tests.validation.steps.small_cluster import POOL, context_of, judgement, name, verdicts_of


@pytest.mark.parametrize(
    ("kind", "collective", "nodes", "size"),
    [
        ("p5en.48xlarge", "all_reduce", 64, 16),
        ("p5en.48xlarge", "all_reduce", 20, 10),
        ("p5en.48xlarge", "all_gather", 64, 2),
        ("p6-b200.48xlarge", "all_reduce", 64, 4),
        ("p6-b300.48xlarge", "all_gather", 64, 32),
        ("p5.48xlarge", "all_reduce", 3, 2),
        ("p6e-gb200.36xlarge", "all_reduce", 18, 4),
    ],
)
def test_groups_are_as_large_as_a_published_figure_holds(
    kind: str, collective: str, nodes: int, size: int
) -> None:
    """And half of all nodes at most, so that there are two."""
    assert group_size(instance_type(kind), collective, nodes) == size


@pytest.mark.parametrize(
    ("collective", "nodes", "absolute"),
    [("all_reduce", 16, True), ("all_reduce", 17, False), ("all_gather", 2, True), ("all_gather", 3, False)],
)
def test_groups_are_run_only_where_nothing_absolute_holds(
    collective: str, nodes: int, absolute: bool
) -> None:
    """What a published figure decides needs no groups."""
    assert is_absolute(context_of(), POOL, collective, nodes) is absolute


class _Runs:
    """Plays ``run_groups``: groups with a node of ``slow`` fail, those of ``silent`` say nothing."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, slow: str = "", silent: str = "") -> None:
        self.slow, self.silent = slow, silent
        self.asked: list[tuple[str, list[int]]] = []
        self.references: list[Reference | None] = []
        for module in (reference_groups, between_nodes, search_fabric):
            monkeypatch.setattr(module, "run_groups", self)

    def __call__(
        self, _context: Any, *, groups: Any, scope: str, reference: Reference | None = None, **_: Any
    ) -> list[GroupTest]:
        """One test a group."""
        self.asked.append((scope, [len(group) for group in groups]))
        if scope == "all-nodes":
            self.references.append(reference)
        return [self._one(tuple(node.node for node in group), scope) for group in groups]

    def _one(self, nodes: tuple[str, ...], scope: str) -> GroupTest:
        if self.silent in nodes and scope == "group":
            return GroupTest(nodes, None, "no answer", (), stopped=False)
        bad = scope == "group" and self.slow in nodes
        outcome = Outcome.FAIL if bad else Outcome.PASS
        seen = judgement(nodes, scope=scope, gb_per_s=200.0 if bad else 370.0, bandwidth=outcome)
        return GroupTest(nodes, seen, "", (), stopped=False)


def _measure(monkeypatch: pytest.MonkeyPatch, nodes: int, **faults: str) -> tuple[_Runs, Groups]:
    runs, context = _Runs(monkeypatch, **faults), context_of(nodes=nodes)
    found = measure_groups(
        context, POOL, context.record.nodes, "all_reduce", history=(), history_collective="all_gather"
    )
    return runs, found


def test_disjoint_groups_run_at_once_and_their_values_are_the_reference(monkeypatch) -> None:
    """64 nodes: four groups of 16 in one round."""
    runs, found = _measure(monkeypatch, 64)
    assert runs.asked == [("group", [16, 16, 16, 16])]
    assert found.reference is not None
    assert (found.reference.nodes, found.reference.values_gb_per_s) == (16, (370.0,) * 4)
    assert found.failed == ()


def test_three_nodes_give_two_pairs_one_after_the_other(monkeypatch) -> None:
    """They share a node, so they cannot run at once."""
    runs, found = _measure(monkeypatch, 3)
    assert runs.asked == [("group", [2]), ("group", [2])]
    assert found.reference is not None


def test_two_nodes_have_no_smaller_groups(monkeypatch) -> None:
    """Nothing to compare with, and nothing is run."""
    runs, found = _measure(monkeypatch, 2)
    assert (runs.asked, found.reference) == ([], None)


def test_a_group_below_its_own_floor_is_a_failure_and_no_reference(monkeypatch) -> None:
    """It must not lower what is asked of all nodes, nor go unsaid."""
    _, found = _measure(monkeypatch, 64, slow=name(0))
    assert found.reference is not None
    assert found.reference.values_gb_per_s == (370.0,) * 3
    assert [verdict.outcome for verdict in found.failed] == [Outcome.FAIL]


def test_too_few_groups_that_say_anything_are_no_reference(monkeypatch) -> None:
    """Of two groups one is silent: a single one is no median."""
    _, found = _measure(monkeypatch, 20, silent=name(0))
    assert found.reference is None


def test_the_searchs_own_pairs_serve_where_they_are_of_the_collective() -> None:
    """No further run; pairs with a node that was not cleared do not count."""
    context = context_of(nodes=6)
    pairs = tuple((name(2 * i), name(2 * i + 1)) for i in range(3))
    seen = tuple(Observation(pair, Ended.MEASURED, 340.0 - i) for i, pair in enumerate(pairs))
    history = (FinishedRound(PlannedRound(1, "x", pairs), seen),)
    found = measure_groups(
        context,
        POOL,
        context.record.nodes[:5],
        "all_gather",
        history=history,
        history_collective="all_gather",
    )
    assert found.reference is not None
    assert found.reference.values_gb_per_s == (340.0, 339.0)
    assert found.reference.floor_gb_per_s == pytest.approx(304.7)


def test_all_nodes_are_held_to_their_groups_and_a_failed_group_is_on_the_page(monkeypatch) -> None:
    """20 p5en nodes: beyond what is published, so the run over all gets the groups' values; of the search's
    own collective the pairs' values.
    """
    runs, context = _Runs(monkeypatch), context_of(nodes=20)
    between_nodes.check_between_nodes(context)
    references = [each for each in runs.references if each is not None]
    assert len(references) == len(runs.references) == 2
    assert [reference.nodes for reference in references] == [10, 2]
    _Runs(monkeypatch, slow=name(0))
    context = context_of(nodes=20)
    between_nodes.check_between_nodes(context)
    failed = [each for each in context.record.verdicts if each.outcome is Outcome.FAIL]
    assert [each.check_id for each in failed] == ["NCL-003"]
    assert "group" in failed[0].summary
    assert {each.outcome for each in verdicts_of(context, "FAB-001").values()} == {Outcome.PASS}
