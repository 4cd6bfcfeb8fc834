"""Queries of panels. One names metrics of the tables only; a test parses them all."""

from __future__ import annotations

from collections.abc import Mapping

from grafana_foundation_sdk.builders.cloudwatch import CloudWatchMetricsQuery
from grafana_foundation_sdk.builders.prometheus import Dataquery
from grafana_foundation_sdk.models.cloudwatch import (
    CloudWatchQueryMode,
    MetricEditorMode,
    MetricQueryType,
)
from grafana_foundation_sdk.models.prometheus import PromQueryFormat, QueryEditorMode

from bedplate.telemetry.dashboards.sources import cloudwatch_source, prometheus_source
from bedplate.telemetry.metrics.cloudwatch import cloudwatch_metric

Query = Dataquery | CloudWatchMetricsQuery


def over_time(expression: str, legend: str) -> Dataquery:
    """One line a series, over the time that the page shows."""
    return _query(expression).range().legend_format(legend)


def now(expression: str, legend: str = "") -> Dataquery:
    """One figure a series, at the end of the time that the page shows."""
    return _query(expression).instant().legend_format(legend or "__auto")


def rows(expression: str) -> Dataquery:
    """One row of a table a series, its labels as columns."""
    return _query(expression).instant().format(PromQueryFormat.TABLE)


def cloudwatch(
    name: str, *, statistic: str, label: str, dimensions: Mapping[str, str]
) -> CloudWatchMetricsQuery:
    """A metric of CloudWatch by its name in the table. Raises ``UnknownMetric``, as for a dimension.

    A dimension that is left out is one series each: CloudWatch is searched.
    """
    found = cloudwatch_metric(name, dimensions=dimensions)
    return (
        CloudWatchMetricsQuery()
        .query_mode(CloudWatchQueryMode.METRICS)
        .metric_query_type(MetricQueryType.SEARCH)
        .metric_editor_mode(MetricEditorMode.BUILDER)
        .region("default")
        .namespace(found.namespace)
        .metric_name(found.name)
        .dimensions(dict(dimensions))
        .match_exact(set(dimensions) == set(found.dimensions))
        .statistic(statistic)
        .period("auto")
        .label(label)
        .datasource(cloudwatch_source())
    )


def _query(expression: str) -> Dataquery:
    return Dataquery().expr(expression).editor_mode(QueryEditorMode.CODE).datasource(prometheus_source())
