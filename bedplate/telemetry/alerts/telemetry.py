"""That there are metrics at all."""

from __future__ import annotations

from bedplate.telemetry.alerts.alert import Alert
from bedplate.telemetry.alerts.by import CLUSTER, NODE, ON_NODE

_QUOTA = "AMP user guide: quotas"

ALERTS = (
    Alert(
        name="TelemetryLost",
        # Not absent(): a cluster that is scaled to zero has no targets, and is well.
        expression=(
            f"max by ({CLUSTER}) (bedplate_job_node offset 10m) unless on ({CLUSTER}) max by ({CLUSTER}) (up)"
        ),
        hold_for_minutes=3,
        severity="page",
        scope="cluster",
        summary="All metrics of {{ $labels.cluster }} ended while jobs ran.",
        meaning="The collector is down, or cannot write: rules on metrics are silent from now on.",
        action="Look at the agent's log and at DiscardedSamples of the workspace (docs/observability.md).",
        dashboard="bedplate-fleet",
        source="Prometheus documentation: staleness",
        own_choice="10 minutes",
    ),
    Alert(
        name="CollectorFailed",
        expression=f"max by ({NODE}, collector) (bedplate_collector_success) == 0",
        hold_for_minutes=15,
        severity="ticket",
        scope="node",
        summary=f"{ON_NODE}: the collector {{{{ $labels.collector }}}} fails.",
        meaning="What it reads does not answer, or answers otherwise than it did. The metrics of it are old.",
        action="Run the collector by hand on the node (docs/observability.md).",
        dashboard="bedplate-node",
        source="bedplate/node/metrics",
        own_choice="15 minutes",
    ),
    Alert(
        name="CollectorStale",
        expression=f"time() - max by ({NODE}, collector) (bedplate_collector_timestamp_seconds) > 900",
        hold_for_minutes=5,
        severity="ticket",
        scope="node",
        summary=f"{ON_NODE}: the collector {{{{ $labels.collector }}}} last ended well "
        "{{ humanizeDuration $value }} ago.",
        meaning="A text file outlives its writer: what is scraped is old.",
        action="Look at the collector's timer on the node, and at what it waits for.",
        dashboard="bedplate-node",
        source="prometheus/node_exporter: collector/textfile.go",
        own_choice="15 minutes",
    ),
    Alert(
        name="TextFileUnreadable",
        expression=f"max by ({NODE}) (node_textfile_scrape_error) == 1",
        hold_for_minutes=15,
        severity="ticket",
        scope="node",
        summary=f"{ON_NODE}: a text file of metrics cannot be read.",
        meaning="One file that is not whole takes its metrics away, and those of no other.",
        action="The node exporter's log names the file.",
        dashboard="bedplate-node",
        source="prometheus/node_exporter: collector/textfile.go",
        own_choice="15 minutes",
    ),
    Alert(
        name="ScrapeSlow",
        expression=f"max by ({NODE}, job) (scrape_duration_seconds) > 10",
        hold_for_minutes=15,
        severity="ticket",
        scope="node",
        summary=f'{ON_NODE}: a scrape of {{{{ $labels.job }}}} takes {{{{ printf "%.0f" $value }}}} s.',
        meaning="An exporter waits for something on the node. Beyond the time-out it is lost.",
        action="Look at what the exporter waits for: a hanging mount, a driver, a full disk.",
        dashboard="bedplate-node",
        source="Prometheus documentation: configuration, scrape_timeout",
        own_choice="10 s over 15 minutes",
    ),
    Alert(
        name="SeriesNearQuota",
        expression=f"sum by ({CLUSTER}) (scrape_samples_scraped) > 0.8 * 10e6",
        hold_for_minutes=30,
        severity="ticket",
        scope="cluster",
        summary="{{ $labels.cluster }} has {{ humanize $value }} active series, near the workspace's quota.",
        meaning="Series beyond the quota are refused, and alarms on them with them.",
        action="Find what grew (scrape_samples_scraped by job); ask for a higher quota.",
        dashboard="bedplate-fleet",
        source=f"{_QUOTA}: 10 million active series",
        own_choice="80 % of the quota's default",
    ),
    Alert(
        name="TargetGrows",
        expression=f"max by ({NODE}, job) (scrape_samples_scraped) > 5000",
        hold_for_minutes=30,
        severity="ticket",
        scope="node",
        summary=f"{ON_NODE}: {{{{ $labels.job }}}} has {{{{ $value }}}} series.",
        meaning="An exporter has some hundred series on a node: a label that grows without bound is likely.",
        action="Find the label and drop it where the target is scraped.",
        dashboard="bedplate-fleet",
        source="docs/observability.md: series of a node",
        own_choice="5000 series of one target",
    ),
)
