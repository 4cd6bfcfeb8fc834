"""SIMULATED: how 64 P5en nodes pass between nodes, for which nobody has published a figure."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.manifest import PoolManifest
from bedplate.validation.baselines.baseline import Baseline
from bedplate.validation.baselines.make import make_baseline
from bedplate.validation.judgement import judge
from bedplate.validation.result import RunResult
from bedplate.validation.steps.between_nodes import check_between_nodes
from bedplate.validation.steps.context import Context
from tests.validation.steps.simulated_runs import SimulatedRuns, asked_of
from tests.validation.steps.small_cluster import POOL, context_of

NODES = 64


def _run(*, baseline: Baseline | None = None, size: int = NODES, **how: Any) -> tuple[Context, SimulatedRuns]:
    runs = SimulatedRuns(size=size, **how)
    context = context_of({"run-jobs": runs}, nodes=size)
    pool = PoolManifest.model_validate({**POOL.model_dump(), "node_count_min": size, "node_count_max": size})
    wanted = context.record.manifest.validation.model_copy(
        update={"collectives": ["all_reduce", "all_gather"]}
    )
    context.record.manifest = context.record.manifest.model_copy(
        update={"pools": [pool], "validation": wanted}
    )
    context.record.baseline = baseline
    for node in context.record.nodes:
        node.pool = pool
    context.record.required |= {"FAB-001", "FAB-002", "NCL-002", "NCL-003"}
    check_between_nodes(context)
    return context, runs


def _result(context: Context) -> RunResult:
    return context.record.result(complete=True)


def _bandwidths(context: Context) -> list[Verdict]:
    return [each for each in context.record.verdicts if each.check_id == "NCL-003"]


@pytest.mark.slow
def test_sixty_four_nodes_pass_by_their_groups_of_sixteen_and_say_so() -> None:
    """Groups of 16 reach the published figure; all 64 reach their groups; no waiver is needed."""
    context, runs = _run()
    assert judge(result=_result(context)).passed
    assert asked_of(runs) == [*[("all_reduce", 16)] * 4, ("all_reduce", 64), ("all_gather", 64)]
    assert [each.basis for each in _bandwidths(context)] == ["relative", "relative"]
    for verdict in _bandwidths(context):
        assert any(each.text.startswith("Relative only") for each in verdict.findings)
        assert "which reached the published floor" in verdict.source


@pytest.mark.slow
def test_what_was_accepted_is_an_absolute_bound_from_then_on() -> None:
    """The same run passes by its baseline, unmarked; one that is 7 % slower everywhere fails by it."""
    context, _ = _run()
    result = _result(context)
    stored = make_baseline(
        runs={"run-1": result}, manifest=context.record.manifest, reason="acceptance of the block"
    )
    again, runs = _run(baseline=stored)
    assert [(each.outcome, each.basis) for each in _bandwidths(again)] == [(Outcome.PASS, "baseline")] * 2
    assert asked_of(runs) == [("all_reduce", 64), ("all_gather", 64)]
    slower, _ = _run(baseline=stored, all_slow=0.93)
    assert not judge(result=_result(slower)).passed
    unaware, _ = _run(all_slow=0.93)
    assert judge(result=_result(unaware)).passed


@pytest.mark.slow
def test_a_fabric_that_is_slow_everywhere_is_no_pass_without_any_baseline() -> None:
    """Pairs and groups have published figures: two fifths less fails them, whatever agrees with what."""
    context, _ = _run(all_slow=0.6, size=20)
    assert not judge(result=_result(context)).passed
    assert any(each.cause == "fabric-configuration" for each in context.record.verdicts)
