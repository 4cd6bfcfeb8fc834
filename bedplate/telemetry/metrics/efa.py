"""EFA's hardware counters, which node_exporter itself does not read: our node program writes them as text.

The names are those of AWS's own collectors, so that public dashboards fit. ``lifespan`` is none of a counter
and left out. Older drivers lack those of retransmission and remote events.
"""

from __future__ import annotations

from bedplate.telemetry.metrics.exporters import NODE_PROGRAM
from bedplate.telemetry.metrics.metric import Metric

_SOURCE = (
    "awslabs/awsome-distributed-ai: 4.validation_and_observability/3.efa-node-exporter; "
    "/sys/class/infiniband/DEVICE/ports/1/hw_counters"
)

# Counter in sysfs → unit, what it counts.
EFA_COUNTERS: dict[str, tuple[str, str]] = {
    "tx_bytes": ("bytes", "sent"),
    "rx_bytes": ("bytes", "received"),
    "tx_pkts": ("1", "packets sent"),
    "rx_pkts": ("1", "packets received"),
    "rx_drops": ("1", "packets dropped on receipt"),
    "send_bytes": ("bytes", "sent by send"),
    "recv_bytes": ("bytes", "received by receive"),
    "send_wrs": ("1", "send work requests"),
    "recv_wrs": ("1", "receive work requests"),
    "rdma_read_bytes": ("bytes", "read from remote memory"),
    "rdma_read_resp_bytes": ("bytes", "sent in answer to reads"),
    "rdma_read_wrs": ("1", "read work requests"),
    "rdma_read_wr_err": ("1", "read work requests that failed"),
    "rdma_write_bytes": ("bytes", "written to remote memory"),
    "rdma_write_recv_bytes": ("bytes", "written by others"),
    "rdma_write_wrs": ("1", "write work requests"),
    "rdma_write_wr_err": ("1", "write work requests that failed"),
    "retrans_bytes": ("bytes", "sent again"),
    "retrans_pkts": ("1", "packets sent again"),
    "retrans_timeout_events": ("1", "packets sent again after a timeout"),
    "impaired_remote_conn_events": ("1", "connections to a remote device that were impaired"),
    "unresponsive_remote_events": ("1", "remote devices that did not answer"),
    "cmds_err": ("1", "commands of the driver that failed"),
}

# Counter → rate a second that AWS's own node agent calls bad.
AWS_BAD_RATES: dict[str, float] = {
    "rx_drops": 100.0,
    "rdma_read_wr_err": 100.0,
    "rdma_write_wr_err": 100.0,
    "unresponsive_remote_events": 100.0,
    "impaired_remote_conn_events": 100.0,
    "retrans_timeout_events": 100.0,
    "retrans_pkts": 1_000.0,
    "retrans_bytes": 1_000_000.0,
}
"""Source: aws/eks-node-monitoring-agent, monitors/networking/efa/efa.go."""

EFA_METRICS = tuple(
    Metric(
        name=f"node_amazonefa_{counter}",
        kind="counter",
        unit=unit,
        help=text,
        exporter=NODE_PROGRAM,
        labels=("device", "port"),
        series_per="efa",
        source=_SOURCE,
    )
    for counter, (unit, text) in EFA_COUNTERS.items()
)
