"""What the evaluator of rules makes itself of alerts."""

from __future__ import annotations

from bedplate.telemetry.metrics.exporters import RULER
from bedplate.telemetry.metrics.metric import Metric

RULER_METRICS = (
    Metric(
        name="ALERTS",
        kind="gauge",
        unit="1",
        help="1 for each alert that is pending or fires, with the alert's own labels",
        exporter=RULER,
        labels=("alertname", "alertstate", "severity"),
        series_per="alert, in the workspace",
        source=RULER.source,
    ),
)
