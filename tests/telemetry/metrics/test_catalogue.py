"""The one table of metrics: its names, and that they are what exporters really publish."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from bedplate.hardware import INSTANCE_TYPES
from bedplate.telemetry.metrics.catalogue import METRICS, SAMPLES, UnknownMetric, metric
from bedplate.telemetry.metrics.counter_list import counter_list
from bedplate.telemetry.metrics.dcgm import DCGM_METRICS, DcgmMetric
from bedplate.telemetry.metrics.dcgm_made import DCGM_MADE_METRICS
from bedplate.telemetry.metrics.efa import AWS_BAD_RATES, EFA_COUNTERS
from bedplate.telemetry.metrics.exporters import EXPORTERS
from bedplate.telemetry.metrics.labels import COMMON_LABELS

_NAME = re.compile(r"^[a-zA-Z_:][a-zA-Z0-9_:]*$")


@pytest.mark.parametrize("each", METRICS.values(), ids=METRICS)
def test_each_metric_is_one_that_prometheus_takes(each: object) -> None:
    """Name and labels are legal, no label is one that the agent adds, and it says what it is and whence."""
    from bedplate.telemetry.metrics.metric import Metric

    assert isinstance(each, Metric)
    assert _NAME.match(each.name)
    assert all(_NAME.match(label) for label in each.labels)
    assert not set(each.labels) & set(COMMON_LABELS)
    assert all((each.help, each.unit, each.source))
    assert each.exporter in EXPORTERS


def test_no_name_stands_twice() -> None:
    """Two tables that name the same series would disagree one day."""
    from bedplate.telemetry.metrics import catalogue

    names = [name for each in catalogue._ALL for name in each.sample_names]
    assert len(names) == len(set(names)) == len(SAMPLES)


def test_counters_of_our_own_end_as_counters_do() -> None:
    """Prometheus' naming: a counter ends with _total; exporters of others have names of their own."""
    ours = [each for each in METRICS.values() if each.name.startswith("bedplate_")]
    assert all((each.kind == "counter") == each.name.endswith("_total") for each in ours)


def test_an_unknown_name_is_refused_with_where_to_add_it() -> None:
    """A rule or a panel that names it does not build."""
    with pytest.raises(
        UnknownMetric, match="efa_rdma_read_errors_total is in no table of bedplate/telemetry"
    ):
        metric("efa_rdma_read_errors_total")


def test_a_histogram_has_three_series() -> None:
    """Rules name those, never the histogram itself."""
    whole = metric("vllm:time_to_first_token_seconds_bucket")
    assert whole.name == "vllm:time_to_first_token_seconds"
    with pytest.raises(UnknownMetric):
        metric("vllm:time_to_first_token_seconds")


def test_bad_rates_are_of_counters_that_are_collected() -> None:
    """AWS's thresholds would be silent otherwise."""
    assert set(AWS_BAD_RATES) <= set(EFA_COUNTERS)


@pytest.mark.parametrize("architecture", ["Hopper", "Blackwell"])
def test_the_counter_list_has_a_line_a_field(architecture: str) -> None:
    """Three columns, since the exporter splits at commas; links as the GPU has them; Xids counted."""
    lines = [line.split(", ") for line in counter_list(gpu_architecture=architecture).splitlines()]
    names = [line[0] for line in lines]
    assert all(len(line) == 3 and "," not in line[2] for line in lines)
    assert len(set(names)) == len(names)
    assert "DCGM_EXP_XID_ERRORS_COUNT" in names
    assert "DCGM_FI_DEV_XID_ERRORS" not in names
    assert ("DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL" in names) == (architecture == "Hopper")
    assert ("DCGM_FI_DEV_NVLINK_COUNT_RX_ERRORS" in names) == (architecture == "Blackwell")


def test_without_profiling_no_field_needs_performance_counters() -> None:
    """Where another DCGM on the node reads them."""
    assert "_PROF_" in counter_list(gpu_architecture="Hopper")
    assert "_PROF_" not in counter_list(gpu_architecture="Hopper", profiling=False)


def test_every_gpu_that_aws_sells_has_its_links_counted() -> None:
    """An architecture that no row names would have no alert on NVLink."""
    known = {name for each in DCGM_METRICS for name in each.gpu_architectures}
    assert {each.gpu.architecture for each in INSTANCE_TYPES.values()} <= known


def test_each_field_is_one_that_dcgm_publishes(published: Path) -> None:
    """By number and name: in DCGM's own header, or in the exporter's list with a newer name there."""
    with (published / "dcgm-fields.csv").open() as opened:
        numbers = {name: int(number) for name, number in csv.reader(opened)}
    with (published / "dcgm-exporter-default-counters.csv").open() as opened:
        listed = {row[1] for row in csv.reader(opened)}
    for each in DCGM_METRICS:
        assert isinstance(each, DcgmMetric)
        newer = f"DCGM_FI_{each.newer_name}" if each.newer_name else each.name
        assert numbers[newer] == each.field, each.name
    assert {each.name for each in DCGM_MADE_METRICS} <= listed
