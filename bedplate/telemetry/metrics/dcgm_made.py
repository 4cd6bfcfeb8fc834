"""What dcgm-exporter makes itself, beside DCGM's fields.

``DCGM_FI_DEV_XID_ERRORS`` is not collected: it is the number of the last Xid, keeps it until the driver is
loaded anew, and cannot tell a second one (NVIDIA/dcgm-exporter 500, NVIDIA/DCGM 235).
"""

from __future__ import annotations

from bedplate.telemetry.metrics.exporters import DCGM_EXPORTER
from bedplate.telemetry.metrics.metric import Metric

_SOURCE = "NVIDIA/dcgm-exporter: etc/default-counters.csv, internal/pkg/collector"
_GPU = ("gpu", "UUID", "pci_bus_id", "hpc_job")

DCGM_MADE_METRICS = (
    Metric(
        name="DCGM_EXP_XID_ERRORS_COUNT",
        kind="gauge",
        unit="1",
        help="events of an Xid in the last five minutes",
        exporter=DCGM_EXPORTER,
        labels=(*_GPU, "xid", "window_size_in_ms"),
        series_per="gpu and xid seen",
        source=_SOURCE,
    ),
    Metric(
        name="DCGM_EXP_CLOCK_EVENTS_COUNT",
        kind="gauge",
        unit="1",
        help="events of a reason to slow a clock down in the last five minutes",
        exporter=DCGM_EXPORTER,
        labels=(*_GPU, "clock_event", "window_size_in_ms"),
        series_per="gpu and event seen",
        source=_SOURCE,
    ),
)
"""Both forget what is older than their window."""
