"""What the agent says of each of its targets."""

from __future__ import annotations

from bedplate.telemetry.metrics.exporters import AGENT
from bedplate.telemetry.metrics.metric import Metric

AGENT_METRICS = tuple(
    Metric(
        name=name,
        kind="gauge",
        unit=unit,
        help=text,
        exporter=AGENT,
        labels=("job",),
        series_per="target",
        source=AGENT.source,
    )
    for name, unit, text in (
        ("up", "1", "1 where the last scrape went well"),
        ("scrape_duration_seconds", "seconds", "what the last scrape took"),
        ("scrape_samples_scraped", "1", "samples of the last scrape"),
    )
)
