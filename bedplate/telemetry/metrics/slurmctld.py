"""Slurm's own metrics, which slurmctld serves from 25.11; the path with users and accounts is left out.

They name no node and no reason: those are in ``bedplate_slurm_node_state``, for every version.
"""

from __future__ import annotations

from bedplate.telemetry.metrics.exporters import SLURMCTLD
from bedplate.telemetry.metrics.metric import Metric

PATHS = ("/metrics/jobs", "/metrics/nodes", "/metrics/partitions", "/metrics/scheduler")
"""What is scraped of slurmctld, every 60 s or more."""

_ROWS: tuple[tuple[str, str], ...] = (
    ("slurm_jobs", "jobs"),
    ("slurm_jobs_running", "jobs that run"),
    ("slurm_jobs_pending", "jobs that wait"),
    ("slurm_nodes", "nodes"),
    ("slurm_nodes_idle", "nodes that are idle"),
    ("slurm_nodes_alloc", "nodes that are allocated"),
    ("slurm_nodes_mixed", "nodes that are allocated in part"),
    ("slurm_nodes_down", "nodes that are down"),
    ("slurm_nodes_drain", "nodes that are drained"),
)

SLURMCTLD_METRICS = tuple(
    Metric(
        name=name,
        kind="gauge",
        unit="1",
        help=text,
        exporter=SLURMCTLD,
        series_per="cluster",
        source="SchedMD/slurm: doc/html/metrics.shtml",
    )
    for name, text in _ROWS
)
