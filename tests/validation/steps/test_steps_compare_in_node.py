"""SIMULATED: bandwidth inside each node is held to that of its peers of the same run."""

from __future__ import annotations

import pytest

from bedplate.diagnosis.measurement import Measurement
from bedplate.diagnosis.verdict import Outcome, Severity, Subject, Verdict
from bedplate.manifest import PoolManifest
from bedplate.validation.record import Node
from bedplate.validation.steps.compare_in_node import compare_in_node
from bedplate.validation.steps.context import Context
from bedplate.validation.steps.search_fabric import candidates
from tests.validation.steps.small_cluster import POOL, context_of, name, verdicts_of

FLOOR = 434.0


def _compared(
    *values: float, outcome: Outcome = Outcome.PASS, expected: float | None = FLOOR, kind: str = ""
) -> list[Verdict]:
    context = _context_after(*values, outcome=outcome, expected=expected, kind=kind)
    return list(verdicts_of(context, "NCL-001").values())


def _context_after(
    *values: float, outcome: Outcome = Outcome.PASS, expected: float | None = FLOOR, kind: str = ""
) -> Context:
    context = context_of(nodes=0)
    pool = POOL
    if kind:
        pool = PoolManifest.model_validate({**POOL.model_dump(), "instance_type": kind})
        wanted = context.record.manifest.model_copy(update={"pools": [pool]})
        context.record.manifest = wanted
    for number, value in enumerate(values):
        context.record.nodes.append(Node(name(number), pool, f"10.0.0.{number}"))
        context.record.add(
            [
                Verdict(
                    "NCL-001",
                    Subject("node", (name(number),)),
                    outcome,
                    "x",
                    measured=value,
                    expected=expected,
                    basis="published" if expected else "",
                )
            ]
        )
        context.record.measured(
            Measurement("all_reduce", "in-node", (name(number),), 8, 1 << 34, value, expected, 787.5)
        )
    assert all(
        outcome is not Outcome.PASS or not context.record.failed_checks(n.node) for n in context.record.nodes
    )
    compare_in_node(context)
    return context


def test_a_node_above_its_floor_and_far_below_its_peers_fails() -> None:
    """440 is enough for what was published, and not beside 500."""
    seen = _compared(500.0, 501.0, 499.0, 440.0)
    assert [each.outcome for each in seen] == [Outcome.PASS] * 3 + [Outcome.FAIL]
    assert (seen[3].cause, seen[3].basis) == ("nvlink-slow", "relative")
    assert seen[3].expected == pytest.approx(449.6, abs=0.2)


def test_a_node_that_fails_beside_its_peers_is_kept_from_the_others() -> None:
    """The search between nodes takes it no more for well, though it was asked for before and was."""
    context = _context_after(500.0, 501.0, 499.0, 440.0)
    assert context.record.failed_checks(name(3)) == ("NCL-001",)
    assert sorted(candidates(context, context.record.nodes)) == [name(0), name(1), name(2)]


def test_peers_that_ask_for_less_change_nothing() -> None:
    """The floor stays where it is the higher of both."""
    assert {(each.outcome, each.basis) for each in _compared(478.0, 470.0, 440.0)} == {
        (Outcome.PASS, "published")
    }


def test_two_nodes_are_no_peers() -> None:
    """Nobody knows which of them is the odd one."""
    assert {each.outcome for each in _compared(500.0, 440.0)} == {Outcome.PASS}


@pytest.mark.parametrize("outcome", [Outcome.FAIL, Outcome.ERROR])
def test_what_failed_for_another_reason_stays(outcome: Outcome) -> None:
    """Wrong data, a hang, a floor: no peer makes it well."""
    assert {each.outcome for each in _compared(480.0, 480.0, 480.0, outcome=outcome)} == {outcome}


def test_a_type_without_a_published_figure_passes_by_its_peers_and_says_so() -> None:
    """Relative only, with a warning; the odd one fails."""
    seen = _compared(
        840.0, 842.0, 838.0, 500.0, outcome=Outcome.NOT_TESTED, expected=None, kind="p6-b300.48xlarge"
    )
    assert [each.outcome for each in seen] == [Outcome.PASS] * 3 + [Outcome.FAIL]
    assert {each.basis for each in seen} == {"relative"}
    assert [each.severity for each in seen[0].findings] == [Severity.WARNING]


def test_nodes_that_are_all_slow_alike_are_no_pass() -> None:
    """They agree with each other, and the wires could carry far more."""
    seen = _compared(200.0, 201.0, 199.0, outcome=Outcome.NOT_TESTED, expected=None, kind="p6-b300.48xlarge")
    assert {each.outcome for each in seen} == {Outcome.NOT_TESTED}
