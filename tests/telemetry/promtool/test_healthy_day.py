"""A healthy day has no alert, with every metric that such a fleet has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bedplate.telemetry.alert_rules import rule_file
from bedplate.telemetry.metrics.catalogue import METRICS
from tests.telemetry.promtool.healthy_day import DAY, MINUTES, Input, series
from tests.telemetry.promtool.unit_tests import run

_NOT_THERE = {
    "DCGM_EXP_XID_ERRORS_COUNT": "no Xid on a healthy day",
    "bedplate_xid_total": "no Xid on a healthy day",
    "bedplate_validation_failed": "nothing failed",
    "ALERTS": "made of the rules",
}


def test_the_day_has_every_metric_of_such_a_fleet() -> None:
    """A metric that is left out would make its rules silent for the wrong reason."""
    names = {each["series"].partition("{")[0] for each in series()}
    missing = {
        each.name
        for each in METRICS.values()
        if each.name not in names and (not each.gpu_architectures or "Hopper" in each.gpu_architectures)
    }
    elsewhere = {name for name in METRICS if name.startswith(("vllm:", "sglang:", "kube_", "kueue_"))}
    assert missing - elsewhere == set(_NOT_THERE)
    assert sum(phase.minutes for phase in DAY) == MINUTES


def _told(inputs: list[Input]) -> dict[str, Any]:
    """The alerts that fired at any minute of the day."""
    check = {
        "expr": 'count by (alertname) (max_over_time(ALERTS{alertstate="firing"}[24h]))',
        "eval_time": f"{MINUTES - 1}m",
        "exp_samples": [],
    }
    return {"name": "a day", "interval": "1m", "input_series": inputs, "promql_expr_test": [check]}


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.real("promtool")
def test_no_alert_on_a_healthy_day(tmp_path: Path) -> None:
    """Twenty-four hours at a minute, through jobs, checkpoints and rest. A single Xid is told."""
    status, said = run(tmp_path, [_told(series())], rules=rule_file(environment="demo"))
    assert status == 0, said
    labels = 'environment="demo",cluster="bedplate-demo",node="train-1",xid="79",policy="replace"'
    fault = {"series": f"bedplate_xid_total{{{labels}}}", "values": "_x700 1+0x20"}
    status, said = run(tmp_path, [_told([fault])], rules=rule_file(environment="demo"))
    assert status == 1
    assert "GpuXidReplace" in said
