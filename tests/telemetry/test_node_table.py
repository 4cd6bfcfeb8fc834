"""What a node's program carries of the table of metrics."""

from __future__ import annotations

from bedplate.hardware.catalogue import INSTANCE_TYPES
from bedplate.node.bootstrap.exporters.scrape import COMMON
from bedplate.node.bootstrap.exporters.table import read_table
from bedplate.telemetry.metrics.catalogue import METRICS
from bedplate.telemetry.metrics.exporters import DCGM_EXPORTER, EXPORTERS, KUBE_STATE_METRICS, KUEUE
from bedplate.telemetry.metrics.labels import COMMON_LABELS
from bedplate.telemetry.node_table import node_table


def test_every_gpu_generation_has_its_counters() -> None:
    """The exporter's list: field, type, help; what a generation has not is not in its list."""
    table = read_table(node_table().decode())
    assert set(table.counters) == {each.gpu.architecture for each in INSTANCE_TYPES.values()}
    for text in table.counters.values():
        rows = [line.split(", ") for line in text.splitlines()]
        assert all(len(row) == 3 for row in rows)
        assert {row[0] for row in rows} <= {
            each.name for each in METRICS.values() if each.exporter is DCGM_EXPORTER
        }
    assert table.counters["Hopper"] != table.counters["Blackwell"]


def test_what_is_scraped_of_a_node_is_what_the_table_has() -> None:
    """Each metric of an exporter on nodes is kept by exactly one scrape job, with its labels."""
    table = read_table(node_table().decode())
    served = {each.job for each in EXPORTERS if each.job} - {"application"}
    served -= {each.job for each in (KUBE_STATE_METRICS, KUEUE)}
    for metric in METRICS.values():
        if metric.exporter.job not in served or metric.exporter.job == "cloudwatch":
            continue
        jobs = [job for job, names in table.names.items() if set(metric.sample_names) <= set(names)]
        assert len(jobs) == 1, metric.name
        assert set(metric.labels) <= set(table.labels[jobs[0]]), metric.name


def test_the_labels_of_all_series_are_the_tables() -> None:
    """The node program has no access to the table: this holds its list against it."""
    assert COMMON == COMMON_LABELS


def test_the_same_table_gives_the_same_bytes() -> None:
    """The program's digest is part of every node's user data."""
    assert node_table() == node_table()
    assert node_table().isascii()
