"""EFA's hardware counters: node_exporter's own collector of InfiniBand does not read where EFA has them.

Names and labels are those of AWS's collectors (awslabs/awsome-distributed-ai,
``4.validation_and_observability/3.efa-node-exporter``), so that public dashboards fit.
"""

from __future__ import annotations

from typing import Dict, List

from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.metrics.collector import Collector, CollectorError, Surroundings
from bedplate.node.metrics.exposition import COUNTER, Family, Sample, gauge, sample

AMAZON = "0x1d0f"
PORT = "1"
COUNTERS = (
    *("tx_bytes", "rx_bytes", "tx_pkts", "rx_pkts", "rx_drops"),
    *("send_bytes", "recv_bytes", "send_wrs", "recv_wrs"),
    *("rdma_read_bytes", "rdma_read_resp_bytes", "rdma_read_wrs", "rdma_read_wr_err"),
    *("rdma_write_bytes", "rdma_write_recv_bytes", "rdma_write_wrs", "rdma_write_wr_err"),
    *("retrans_bytes", "retrans_pkts", "retrans_timeout_events"),
    *("impaired_remote_conn_events", "unresponsive_remote_events", "cmds_err"),
)
"""What is taken of them: 32 devices have each of these. Older drivers lack some."""


def _applies(settings: NodeSettings) -> bool:
    return settings.efa_count > 0


def _collect(around: Surroundings) -> List[Family]:
    folder = around.path("/sys/class/infiniband")
    if not folder.parent.is_dir():
        raise CollectorError("sysfs cannot be read")
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    devices = [each for each in found if _text(f"{each}/device/vendor") == AMAZON]
    series: Dict[str, List[Sample]] = {}
    for device in devices:
        for counter in COUNTERS:
            text = _text(f"{device}/ports/{PORT}/hw_counters/{counter}")
            if text.isdigit():
                labels = {"device": device.name, "port": PORT}
                series.setdefault(counter, []).append(sample(int(text), labels))
    counted = [Family(f"node_amazonefa_{name}", COUNTER, tuple(each)) for name, each in series.items()]
    return [gauge("bedplate_efas", len(devices)), *counted]


def _text(path: str) -> str:
    try:
        with open(path, "rb", buffering=0) as stream:  # noqa: PTH123 - hundreds of files each time
            return stream.read().decode("ascii", errors="replace").strip()
    except OSError:
        return ""


COLLECTOR = Collector("efa", _applies, _collect)
