"""What a validation leaves as metrics, so that a cluster's state has a history."""

from __future__ import annotations

from bedplate.telemetry.metrics.exporters import VALIDATION
from bedplate.telemetry.metrics.metric import Metric

LAST = "9d"
"""How far back the last validation is looked for: each writes its series once, and a sample by itself is gone
after five minutes.
"""

# Name without bedplate_validation_, unit, labels, help.
_ROWS: tuple[tuple[str, str, tuple[str, ...], str], ...] = (
    ("passed", "1", (), "1 where the last validation passed, 0 where not"),
    ("timestamp_seconds", "seconds", (), "when the last validation ended, since 1970"),
    ("duration_seconds", "seconds", (), "what the last validation took"),
    ("nodes", "1", ("state",), "nodes by what the validation says of them: passed, failed, open"),
    ("verdicts", "1", ("outcome",), "verdicts of the last validation by outcome"),
    (
        "failed",
        "1",
        ("check", "cause", "subject"),
        "1 for each verdict of the last validation that failed; subject is the node, link or setting",
    ),
    (
        "bus_bandwidth_gbs",
        "GB/s",
        ("collective", "nodes"),
        "bus bandwidth measured over that many nodes, the largest size",
    ),
)

VALIDATION_METRICS = tuple(
    Metric(
        name=f"bedplate_validation_{name}",
        kind="gauge",
        unit=unit,
        help=text,
        exporter=VALIDATION,
        labels=labels,
        series_per="environment",
        source="bedplate/validation/reports",
    )
    for name, unit, labels, text in _ROWS
)
