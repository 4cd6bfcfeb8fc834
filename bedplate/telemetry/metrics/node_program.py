"""What our own program on a node writes as text files: what no exporter of others tells."""

from __future__ import annotations

from bedplate.telemetry.metrics.exporters import NODE_PROGRAM
from bedplate.telemetry.metrics.metric import Kind, Metric

_FILE_SYSTEM = ("file_system", "path")

# Name without bedplate_, kind, unit, labels, one series per, help.
_ROWS: tuple[tuple[str, Kind, str, tuple[str, ...], str, str], ...] = (
    ("node_info", "gauge", "1", ("ultraserver", "network_node"), "node", "1; where the node is placed"),
    ("expected_gpus", "gauge", "1", (), "node", "GPUs that the instance type has"),
    ("expected_efas", "gauge", "1", (), "node", "EFA devices that the node was launched with"),
    ("efas", "gauge", "1", (), "node", "EFA devices that the kernel shows"),
    ("bootstrap_done", "gauge", "1", (), "node", "1 where every step of this boot's bootstrap is done"),
    ("gate_open", "gauge", "1", (), "node", "1 where the node has passed the gate since it booted"),
    (
        "xid_total",
        "counter",
        "1",
        ("xid", "pci_bus_id", "policy"),
        "gpu and xid seen",
        "Xids in the kernel log since the node booted; policy is what to do, by sub-code where that decides",
    ),
    (
        "collector_success",
        "gauge",
        "1",
        ("collector",),
        "collector",
        "1 where the collector's last run went well",
    ),
    ("collector_seconds", "gauge", "seconds", ("collector",), "collector", "what its last run took"),
    (
        "collector_timestamp_seconds",
        "gauge",
        "seconds",
        ("collector",),
        "collector",
        "when its last good run ended, since 1970",
    ),
    ("capacity_end_timestamp_seconds", "gauge", "seconds", (), "node", "when the node's Capacity Block ends"),
    ("lustre_mounted", "gauge", "1", _FILE_SYSTEM, "lustre", "1 where the file system is mounted"),
    ("lustre_read_bytes_total", "counter", "bytes", _FILE_SYSTEM, "lustre", "read by this node"),
    ("lustre_written_bytes_total", "counter", "bytes", _FILE_SYSTEM, "lustre", "written by this node"),
    (
        "lustre_operations_total",
        "counter",
        "1",
        (*_FILE_SYSTEM, "operation"),
        "lustre and operation",
        "operations of this node on files and their names",
    ),
    (
        "job_node",
        "gauge",
        "1",
        ("hpc_job", "job_name", "account", "partition", "gpus"),
        "job",
        "1 while the job has this node: joins a job to its GPUs and EFA devices",
    ),
    (
        "slurm_node_state",
        "gauge",
        "1",
        ("slurm_node", "slurm_partition", "state", "ours"),
        "cluster node, on one node",
        "1 for the state that Slurm has the node in; ours is whether a drain is Bedplate's",
    ),
    (
        "slurm_jobs",
        "gauge",
        "1",
        ("slurm_partition", "state"),
        "partition and state, on one node",
        "jobs in a state",
    ),
    (
        "slurm_gpus",
        "gauge",
        "1",
        ("slurm_partition", "state"),
        "partition and state, on one node",
        "GPUs: configured, or allocated",
    ),
)

NODE_PROGRAM_METRICS = tuple(
    Metric(
        name=f"bedplate_{name}",
        kind=kind,
        unit=unit,
        help=text,
        exporter=NODE_PROGRAM,
        labels=labels,
        series_per=per,
        source="bedplate/node/metrics",
    )
    for name, kind, unit, labels, per, text in _ROWS
)
