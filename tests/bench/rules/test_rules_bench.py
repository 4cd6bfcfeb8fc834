"""Rules over a small fleet keep their bound in real Prometheus, and the page says how it was measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bedplate.telemetry.alert_rules import rule_file
from bedplate.telemetry.metrics.catalogue import SAMPLES
from tests.bench.rules.backfill import Filled
from tests.bench.rules.history import expressions, read_back_s
from tests.bench.rules.measure import MOST_S, GroupTime, Measured, broken_bounds, measure
from tests.bench.rules.page import write_page

_GROUP = GroupTime("bedplate-xids", 9, 1.0, "GpuXidReset", 0.4, 3)
_ONE = Measured(filled=Filled(8, 64, 3_571, 100_000), groups=(_GROUP,), fill_seconds=1.0)


def test_a_slow_group_breaks_the_bound() -> None:
    """The sentence names the group."""
    assert broken_bounds(_ONE) == []
    slow = replace(_ONE, groups=(replace(_GROUP, seconds=MOST_S + 0.1),))
    assert "bedplate-xids takes" in broken_bounds(slow)[0]


def test_each_metric_is_read_as_far_back_as_its_longest_range() -> None:
    """A range counts, an offset too, and without either the five minutes of a look-back."""
    texts = ("rate(a_total[1h]) > b", 'a_total{x="1"}[5m]', "b offset 10m")
    assert read_back_s(texts, known={"a_total", "b", "c"}) == {"a_total": 3_600, "b": 900}


def test_the_rules_read_metrics_of_every_exporter() -> None:
    """What is found by the benchmark's simple reading is what the rules are about."""
    found = read_back_s((text for _, _, text in expressions(rule_file(environment="x"))), known=SAMPLES)
    jobs = {SAMPLES[name].exporter.job for name in found}
    assert {"dcgm", "node", "application", "validation"} <= jobs
    assert found["DCGM_FI_DEV_THERMAL_VIOLATION"] == 300
    assert found["DCGM_FI_DEV_ECC_SBE_VOL_TOTAL"] == 3_600


def test_the_page_says_what_was_measured(tmp_path: Path) -> None:
    """A row for each group, and that the fleet is simulated."""
    write_page(tmp_path / "page.md", [_ONE], {"cores": "2"})
    text = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "SIMULATED" in text
    assert "| bedplate-xids" in text
    assert "kept by all" in text


@pytest.mark.slow
@pytest.mark.real("promtool")
@pytest.mark.real("prometheus")
def test_a_small_fleet_keeps_the_bound(tmp_path: Path) -> None:
    """Sixteen nodes in real blocks: every group keeps its bound, and recorded series come out."""
    measured = measure(tmp_path, nodes=16)
    assert broken_bounds(measured) == []
    assert measured.filled.series > 16 * 400
    made = {group.name: group.series for group in measured.groups}
    assert made["bedplate-recorded-nodes"] >= 16 * 9
    alerts = {name: count for name, count in made.items() if "-recorded-" not in name}
    assert set(alerts.values()) == {0}, alerts
