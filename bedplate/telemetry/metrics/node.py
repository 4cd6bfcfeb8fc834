"""What is taken of node_exporter.

Its collector of processors is off: 192 processors make 1,536 series a node.
"""

from __future__ import annotations

from bedplate.telemetry.metrics.exporters import NODE_EXPORTER
from bedplate.telemetry.metrics.metric import Kind, Metric

_ROWS: tuple[tuple[str, Kind, str, tuple[str, ...], str, str], ...] = (
    ("load1", "gauge", "1", (), "node", "processes at work or waiting, over a minute"),
    ("memory_MemTotal_bytes", "gauge", "bytes", (), "node", "memory"),
    ("memory_MemAvailable_bytes", "gauge", "bytes", (), "node", "memory that programs can have"),
    ("memory_HugePages_Total", "gauge", "1", (), "node", "huge pages"),
    ("memory_HugePages_Free", "gauge", "1", (), "node", "huge pages that nobody has"),
    ("filesystem_size_bytes", "gauge", "bytes", ("device", "fstype", "mountpoint"), "mount", "size"),
    (
        "filesystem_avail_bytes",
        "gauge",
        "bytes",
        ("device", "fstype", "mountpoint"),
        "mount",
        "free for users",
    ),
    ("filesystem_files_free", "gauge", "1", ("device", "fstype", "mountpoint"), "mount", "free inodes"),
    ("filesystem_readonly", "gauge", "1", ("device", "fstype", "mountpoint"), "mount", "1 where read-only"),
    ("disk_read_bytes_total", "counter", "bytes", ("device",), "disk", "read"),
    ("disk_written_bytes_total", "counter", "bytes", ("device",), "disk", "written"),
    ("disk_io_time_seconds_total", "counter", "seconds", ("device",), "disk", "time with requests open"),
    ("md_disks", "gauge", "1", ("device", "state"), "array and state", "disks of an array in a state"),
    ("network_receive_bytes_total", "counter", "bytes", ("device",), "interface", "received"),
    ("network_transmit_bytes_total", "counter", "bytes", ("device",), "interface", "sent"),
    ("timex_offset_seconds", "gauge", "seconds", (), "node", "the clock's distance from its source"),
    ("timex_sync_status", "gauge", "1", (), "node", "1 where the clock follows a source"),
    ("boot_time_seconds", "gauge", "seconds", (), "node", "when the node booted, since 1970"),
    (
        "systemd_unit_state",
        "gauge",
        "1",
        ("name", "state", "type"),
        "unit and state",
        "1 for the state of a service that jobs need",
    ),
    ("textfile_mtime_seconds", "gauge", "seconds", ("file",), "text file", "when a text file was written"),
    ("textfile_scrape_error", "gauge", "1", (), "node", "1 where a text file could not be read"),
)

SYSTEMD_UNITS = (
    "slurmd",
    "munge",
    "nvidia-persistenced",
    "nvidia-fabricmanager",
    "nvidia-imex",
    "nvidia-dcgm",
)
"""Services whose states are collected."""

NODE_METRICS = tuple(
    Metric(
        name=f"node_{name}",
        kind=kind,
        unit=unit,
        help=text,
        exporter=NODE_EXPORTER,
        labels=labels,
        series_per=per,
        source="prometheus/node_exporter: collector/",
    )
    for name, kind, unit, labels, per, text in _ROWS
)
