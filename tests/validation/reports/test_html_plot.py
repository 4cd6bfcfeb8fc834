"""The plot: positions on one scale, marks below the floor told apart, no floor never shown as a pass."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest

from bedplate.validation.reports.html.bandwidth import build_plot
from bedplate.validation.reports.html.names import node_names
from bedplate.validation.result import RunResult
from tests.validation.reports.sample_run import faulty_run, healthy_run


def _plot(run: RunResult):
    plot = build_plot(run, node_names(run))
    assert plot is not None
    return plot


def test_every_measurement_is_one_mark_in_scale() -> None:
    """Each run of the result is one mark, placed at its part of the scale, which starts at nought."""
    run = faulty_run()
    plot = _plot(run)
    dots = [dot for strip in plot.strips for dot in strip.dots]
    top = float(plot.ticks[-1][1].replace(",", ""))
    assert plot.ticks[0] == (0.0, "0")
    assert sorted(dot.x for dot in dots) == pytest.approx(
        sorted(100 * b.busbw_gb_per_s / top for b in run.bandwidths)
    )
    assert all(0 <= dot.x <= 100 for dot in dots)


def test_marks_below_the_floor_are_told_apart_and_named() -> None:
    """The two groups with the slow node are below, carry its name, and no other group does."""
    pairs = next(strip for strip in _plot(faulty_run()).strips if "between" in strip.title)
    below = [dot for dot in pairs.dots if dot.amiss]
    assert len(below) == 2
    assert all("h200-6" in dot.label for dot in below)
    assert "2 below the floor" in pairs.summary


def test_marks_that_would_cover_each_other_are_stacked() -> None:
    """No two marks of one level are closer than a mark is wide, and a tall stack draws closer together."""
    strip = _plot(healthy_run(nodes=64)).strips[0]
    for level in range(strip.levels):
        xs = sorted(dot.x for dot in strip.dots if dot.level == level)
        assert all(b - a >= 1.3 for a, b in pairwise(xs))
    assert strip.levels * strip.step_px <= 120


def test_labels_cover_no_mark() -> None:
    """A mark's label has its level to itself as far as it reaches, so that names stay legible."""
    dots = next(strip for strip in _plot(faulty_run()).strips if "between" in strip.title).dots
    assert any(dot.label for dot in dots)
    for one, other in combinations(dots, 2):
        apart = one.span[1] <= other.span[0] or other.span[1] <= one.span[0]
        assert one.level != other.level or apart, (one, other)


def test_without_a_floor_nothing_is_proven() -> None:
    """A measurement without a sourced floor says so in words and is drawn without one."""
    run = healthy_run(nodes=1)
    bare = [b.model_copy(update={"floor_gb_per_s": None, "ceiling_gb_per_s": None}) for b in run.bandwidths]
    strip = _plot(run.model_copy(update={"bandwidths": bare})).strips[0]
    assert strip.floor is None
    assert "no floor is sourced" in strip.summary


@pytest.mark.parametrize("value", [0.0, 0.004, 3.2, 47.0, 812.5, 12_000.0])
def test_any_size_of_bandwidth_has_a_scale(value: float) -> None:
    """From nothing to thousands of GB/s, the scale holds the value and has a handful of ticks."""
    run = healthy_run(nodes=1)
    one = run.bandwidths[0].model_copy(
        update={"busbw_gb_per_s": value, "floor_gb_per_s": None, "ceiling_gb_per_s": None}
    )
    plot = _plot(run.model_copy(update={"bandwidths": [one]}))
    assert 2 <= len(plot.ticks) <= 7
    assert 0 <= plot.strips[0].dots[0].x <= 100


def test_without_a_floor_the_search_tells_which_pairs_are_amiss() -> None:
    """Pairs without a sourced floor are marked by the rounds that they failed, and the words say so."""
    run = faulty_run()
    bare = [b.model_copy(update={"floor_gb_per_s": None}) for b in run.bandwidths if b.scope == "pair"]
    strip = _plot(run.model_copy(update={"bandwidths": bare})).strips[0]
    assert sum(dot.amiss for dot in strip.dots) == 2
    assert "compared with each other; 2 in groups that failed the search" in strip.summary
