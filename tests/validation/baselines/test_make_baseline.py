"""A baseline is made of runs that found nothing, and of nothing else."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from bedplate.diagnosis.verdict import Outcome
from bedplate.manifest import ClusterManifest
from bedplate.validation.baselines.baseline import Baseline
from bedplate.validation.baselines.make import BaselineRefused, make_baseline
from bedplate.validation.result import Bandwidth, RunResult, Waiver
from tests.validation.reports.sample_run import healthy_run
from tests.validation.steps.small_cluster import POOL, manifest

NOW = datetime(2026, 2, 4, tzinfo=UTC)


def _manifest() -> ClusterManifest:
    return manifest().model_copy(update={"pools": [POOL.model_copy(update={"name": "h200"})]})


def _run(**changes: Any) -> RunResult:
    return healthy_run(nodes=8).model_copy(update=changes)


def _make(runs: dict[str, RunResult], **changes: Any) -> Baseline:
    return make_baseline(runs=runs, manifest=_manifest(), reason="accepted", moment=NOW, **changes)


def _open(run: RunResult, check: str, outcome: Outcome, **changes: Any) -> RunResult:
    return run.model_copy(
        update={
            "verdicts": [
                replace(each, outcome=outcome, **changes) if each.check_id == check else each
                for each in run.verdicts
            ]
        }
    )


def test_a_healthy_run_gives_a_figure_for_each_shape() -> None:
    """All nodes together, and the median of the nodes by themselves."""
    made = _make({"run-1": _run()})
    shapes = {(each.collective, each.path, each.nodes, each.size_bytes): each for each in made.figures}
    assert set(shapes) == {("all_reduce", "nvlink", 1, 1 << 34), ("all_reduce", "efa", 8, 1 << 34)}
    assert shapes[("all_reduce", "efa", 8, 1 << 34)].gb_per_s == 391.2
    assert shapes[("all_reduce", "efa", 8, 1 << 34)].efas == 16
    assert 475.6 <= shapes[("all_reduce", "nvlink", 1, 1 << 34)].gb_per_s <= 478.0
    assert (made.runs, made.reason, made.simulated) == (["run-1"], "accepted", False)


def test_of_several_runs_the_lowest_counts() -> None:
    """The best of several would ask for a lucky day."""
    slower = _run()
    slower = slower.model_copy(
        update={"bandwidths": [*slower.bandwidths[:-1], _together(slower.bandwidths[-1], 380.0)]}
    )
    made = _make({"run-1": _run(), "run-2": slower})
    assert [each.gb_per_s for each in made.figures if each.nodes == 8] == [380.0]


def _together(bandwidth: Bandwidth, gb_per_s: float) -> Bandwidth:
    return bandwidth.model_copy(update={"busbw_gb_per_s": gb_per_s})


def test_a_bandwidth_that_nothing_was_published_for_may_be_accepted() -> None:
    """NCL-003 was not-tested with a figure and no floor: that is what a baseline is for."""
    run = _open(_run(), "NCL-003", Outcome.NOT_TESTED, measured=391.2, expected=None)
    assert _make({"run-1": run}).figures


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (_run(complete=False), "no validation that came to its end"),
        (_run(kind="preflight"), "no validation that came to its end"),
        (_run(environment="other"), "is of other"),
        (_run(region="us-east-1"), "us-east-1"),
        (_run(finished_at="2026-01-20T09:21:47Z"), "14 days old"),
        (_run(waivers=[Waiver(check_id="FAB-001", reason="x")]), "waives FAB-001"),
        (_open(_run(), "GPU-004", Outcome.FAIL, cause="xid-64"), "found a fault: GPU-004"),
        (_open(_run(), "GPU-004", Outcome.ERROR), "left GPU-004"),
        (_open(_run(), "NCL-002", Outcome.NOT_TESTED, measured=1), "left NCL-002"),
        (_open(_run(), "NCL-003", Outcome.ERROR, measured=391.2), "left NCL-003"),
        (_open(_run(), "NCL-003", Outcome.NOT_TESTED), "left NCL-003"),
        (_open(_run(), "NCL-003", Outcome.NOT_TESTED, measured=391.2, expected=332.4), "left NCL-003"),
        (_run(verdicts=[v for v in _run().verdicts if v.check_id != "NCL-003"]), "has no verdict of NCL-003"),
        (_run(bandwidths=[]), "hold no bandwidth"),
        (_run(bandwidths=[_together(_run().bandwidths[-1], 900.0)]), "more than the wires allow"),
    ],
)
def test_a_run_that_is_no_ground_is_refused_with_its_reason(run: RunResult, words: str) -> None:
    """Cut off, foreign, old, faulty, open, waived, empty, impossible: none of them becomes the rule."""
    with pytest.raises(BaselineRefused) as refused:
        _make({"run-1": run})
    assert refused.value.error_id == "BAS-001"
    assert any(words in reason for reason in refused.value.reasons), refused.value.reasons


def test_simulated_and_real_runs_do_not_mix() -> None:
    """The stand-in says nothing about hardware."""
    with pytest.raises(BaselineRefused, match="simulated"):
        _make({"run-1": _run(), "run-2": _run(simulated=True)})


def test_no_run_at_all_is_refused() -> None:
    """Nothing is no ground."""
    with pytest.raises(BaselineRefused, match="No run"):
        _make({})


def test_a_baseline_sinks_only_where_that_is_said() -> None:
    """More than five per cent below what is stored needs a word; a little less does not."""
    before = _make({"run-1": _run()})
    with pytest.raises(BaselineRefused, match="have not measured it"):
        _make({"run-2": _run(bandwidths=_run().bandwidths[-1:])}, before=before)
    for share, refused in ((0.96, False), (0.9, True)):
        run = _run()
        lower = _together(run.bandwidths[-1], 391.2 * share)
        run = run.model_copy(update={"bandwidths": [*run.bandwidths[:-1], lower]})
        if refused:
            with pytest.raises(BaselineRefused, match="and the baseline that is stored says"):
                _make({"run-2": run}, before=before)
        made = _make({"run-2": run}, before=before, may_lower=True)
        assert [each.gb_per_s for each in made.figures if each.nodes == 8] == [pytest.approx(391.2 * share)]
