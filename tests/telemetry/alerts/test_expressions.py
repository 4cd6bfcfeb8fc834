"""Each expression names metrics that an exporter emits, with labels that they have."""

from __future__ import annotations

import re

import pytest

from bedplate.telemetry.alerts.alert import Alert
from bedplate.telemetry.alerts.catalogue import alerts
from bedplate.telemetry.recording.catalogue import RECORDED, RECORDED_FAMILIES
from bedplate.telemetry.recording.recorded import Recorded
from tests.telemetry.promql import Wrong, labels_of, metrics_of

_LABEL = re.compile(r"\$labels\.(\w+)")


@pytest.mark.parametrize("each", alerts(), ids=lambda each: each.name)
def test_each_alert_reads_what_exists_and_names_what_it_has(each: Alert) -> None:
    """Its metrics and labels are in the tables, and its texts name only labels that its series keep."""
    labels = labels_of(each.expression)
    named = {name for text in (each.summary, each.action, each.meaning) for name in _LABEL.findall(text)}
    assert named <= labels


@pytest.mark.parametrize("each", alerts(), ids=lambda each: each.name)
def test_each_alert_has_the_labels_that_it_is_grouped_by(each: Alert) -> None:
    """Without its node an alert of a node would be one page with those of every other."""
    needed = {"environment", "cluster"} | ({"node"} if each.scope in ("gpu", "node") else set())
    assert needed <= labels_of(each.expression)


@pytest.mark.parametrize("each", alerts(), ids=lambda each: each.name)
def test_no_alert_changes_with_the_job_of_a_gpu(each: Alert) -> None:
    """An old fault would be a new alert with each job; those on a job are about it."""
    about_a_job = each.scope == "job" or each.name == "GpuStraggler"
    assert about_a_job or "hpc_job" not in labels_of(each.expression)


@pytest.mark.parametrize("each", RECORDED.values(), ids=RECORDED)
def test_each_recorded_series_has_the_labels_that_it_says(each: Recorded) -> None:
    """Pages and alerts that read it rely on them."""
    assert labels_of(each.expression) == set(each.labels)


def test_recorded_series_are_named_apart_and_read_no_later_one() -> None:
    """A group is evaluated from top to bottom, and no exporter's metric has a colon after bedplate."""
    families = list(RECORDED_FAMILIES)
    order = [each.name for family in families for each in RECORDED_FAMILIES[family]]
    assert len(set(order)) == len(order) == len(RECORDED)
    for place, name in enumerate(order):
        assert name.startswith("bedplate:")
        assert not metrics_of(RECORDED[name].expression) & set(order[place:])


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("rate(efa_rdma_read_errors_total[5m]) > 1", "efa_rdma_read_errors_total is in no table"),
        ("sum by (gpu_uuid) (DCGM_FI_DEV_GPU_TEMP)", "no series has the label gpu_uuid"),
        ('DCGM_FI_DEV_GPU_TEMP{Hostname="a"}', "no series has the label Hostname"),
        ("rate(DCGM_FI_DEV_GPU_TEMP[5m])", "which is a gauge"),
        ("up == 0 and on (gpu) up", "no series has the label gpu"),
        ("bedplate:gpus_lost > 0", "is in no table"),
    ],
)
def test_what_is_in_no_table_is_refused(expression: str, told: str) -> None:
    """The check itself finds a metric that nobody emits, and a label that nobody has."""
    with pytest.raises(Wrong, match=told):
        labels_of(expression)
