"""What Kueue tells of its queues, as far as it does without ``enableClusterQueueResources``."""

from __future__ import annotations

from bedplate.telemetry.metrics.exporters import KUEUE
from bedplate.telemetry.metrics.metric import Kind, Metric

_QUEUE = "cluster_queue"
_ROLE = "replica_role"

_ROWS: tuple[tuple[str, Kind, str, tuple[str, ...], str], ...] = (
    (
        "pending_workloads",
        "gauge",
        "1",
        (_QUEUE, "status"),
        "workloads that wait: active in the queue, or inadmissible until the cluster changes",
    ),
    ("admitted_active_workloads", "gauge", "1", (_QUEUE,), "workloads that are admitted and active"),
    (
        "admission_wait_time_seconds",
        "histogram",
        "seconds",
        (_QUEUE, "priority_class"),
        "from a workload's creation or its return to the queue to its admission",
    ),
    (
        "admitted_until_ready_wait_time_seconds",
        "histogram",
        "seconds",
        (_QUEUE, "priority_class"),
        "from a workload's admission until all its pods are ready",
    ),
    (
        "evicted_workloads_total",
        "counter",
        "1",
        (_QUEUE, "reason", "underlying_cause", "priority_class"),
        "workloads that were evicted",
    ),
    (
        "preempted_workloads_total",
        "counter",
        "1",
        ("preempting_cluster_queue", "reason"),
        "workloads that had to make room for another",
    ),
    ("cluster_queue_status", "gauge", "1", (_QUEUE, "status"), "1 for the status that the queue has"),
)

KUEUE_METRICS = tuple(
    Metric(
        name=f"kueue_{name}",
        kind=kind,
        unit=unit,
        help=text,
        exporter=KUEUE,
        labels=(*labels, _ROLE),
        series_per="queue of the cluster",
        source="kubernetes-sigs/kueue v0.19.2: site/content/en/docs/reference/metrics.md",
    )
    for name, kind, unit, labels, text in _ROWS
)
