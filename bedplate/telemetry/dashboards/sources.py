"""The data sources, by uids that never change: whatever provisions Grafana makes them under these."""

from __future__ import annotations

from grafana_foundation_sdk.models.dashboard import DataSourceRef

PROMETHEUS_UID = "bedplate-prometheus"
CLOUDWATCH_UID = "bedplate-cloudwatch"


def prometheus_source() -> DataSourceRef:
    """The workspace of metrics: AMP, or any Prometheus."""
    return DataSourceRef(type_val="prometheus", uid=PROMETHEUS_UID)


def cloudwatch_source() -> DataSourceRef:
    """CloudWatch of the environment's account and Region."""
    return DataSourceRef(type_val="cloudwatch", uid=CLOUDWATCH_UID)
