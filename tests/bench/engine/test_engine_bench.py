"""The controller's cost grows no faster than the nodes, by counts that no busy machine changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.bench.engine.growth import LINEAR, exponents, worse_than_linear
from tests.bench.engine.measure import Cost, measure
from tests.bench.engine.page import write_page
from tests.bench.engine.plot import draw

_ONE = Cost(64, 2.0, 1.0, 20.0, 90.0, True, {"s3:GetObject": 128}, {"find_nodes": 0.5}, 900, {})


def _grown(times: int, power: float) -> Cost:
    factor = times**power
    return replace(
        _ONE,
        nodes=_ONE.nodes * times,
        processor_s=_ONE.processor_s * factor,
        peak_mib=_ONE.peak_mib * factor,
        calls={"s3:GetObject": round(128 * factor)},
    )


def test_an_exponent_tells_linear_growth_from_worse() -> None:
    """Costs that grow as the nodes have the exponent 1; those that grow as their square have 2, and fail."""
    linear = exponents([_grown(times, 1.0) for times in (1, 4, 16)])
    square = exponents([_grown(times, 2.0) for times in (1, 4, 16)])
    assert set(linear.values()) == {1.0}
    assert set(square.values()) == {2.0}
    assert max(linear.values()) <= LINEAR < min(square.values())


def test_growth_at_the_largest_sizes_is_not_hidden_by_the_small_ones() -> None:
    """Level costs up to the last step, and a square there, are worse than linear."""
    late = [_grown(1, 0.0), _grown(4, 0.0), _grown(16, 0.0), _grown(16, 1.0)]
    late[-1] = replace(late[-1], nodes=4 * late[-2].nodes)
    assert "processor time" in worse_than_linear(late)
    assert worse_than_linear([_grown(times, 1.0) for times in (1, 4, 16)]) == []


def test_page_and_plot_are_made_of_the_figures(tmp_path: Path) -> None:
    """The page has a row for each size and says that it is simulated; the same figures give the same plot."""
    costs = [_grown(times, 1.0) for times in (1, 4)]
    write_page(tmp_path / "bench-engine.md", costs, {"processor": "p"})
    text = (tmp_path / "bench-engine.md").read_text(encoding="utf-8")
    assert "SIMULATED" in text
    rows = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("|")]
    assert {"64", "256"} <= set(rows)
    draw(tmp_path / "one.svg", costs)
    draw(tmp_path / "two.svg", costs)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


@pytest.mark.slow
def test_healthy_nodes_pass_and_no_cost_grows_faster_than_nodes() -> None:
    """Of 8 and 32 nodes each run passes, and for each node none takes more of processor, memory or calls."""
    small, large = measure(8), measure(32)
    assert small.passed, small.detail
    assert large.passed, large.detail
    assert worse_than_linear([small, large]) == []
    assert large.verdicts > 3 * small.verdicts
