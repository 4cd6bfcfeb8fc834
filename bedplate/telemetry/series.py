"""How many series a node has, by the table of metrics and the hardware: what a workspace's quota is held
against before there is a node.
"""

from __future__ import annotations

from bedplate.hardware import InstanceType
from bedplate.telemetry.metrics.catalogue import METRICS
from bedplate.telemetry.metrics.exporters import APPLICATION, NCCL_INSPECTOR
from bedplate.telemetry.metrics.node import SYSTEMD_UNITS

# Of what a type does not say, as many as a node of a cluster has, rather more; ours to choose.
_EACH = {
    "node": 1,
    "target": 3,
    "collector": 10,
    "text file": 10,
    "lustre": 2,
    "lustre and operation": 2 * 16,
    "mount": 8,
    "interface": 4,
    "array and state": 4,
    # node_exporter has a series for each of five states.
    "unit and state": 5 * len(SYSTEMD_UNITS),
    "job": 4,
    "server": 4,
    # 200 at most are taken over, but a job has few sizes of message.
    "job, collective and size": 40,
}
_EACH_GPU = {"gpu": 1, "gpu and xid seen": 1, "gpu and event seen": 3}
_HISTOGRAM_SERIES = 24
_NOT_OF_NODES = frozenset(
    {
        "cluster",
        "environment",
        "alert, in the workspace",
        "cluster node, on one node",
        "partition and state, on one node",
        # Of Kubernetes, which nothing collects yet.
        "cluster node, on one exporter",
        "cluster node, condition and status, on one exporter",
        "cluster node and resource, on one exporter",
        "pod and phase",
        "job of Kubernetes, and reason where it failed",
        "queue of the cluster",
    }
)
SLURM_SERIES_A_NODE = 1
"""Of one node of the cluster, on the node that tells what Slurm says."""


class UncountedSeries(ValueError):
    """A metric says of itself that there is a series per something that is not counted here."""


def series_of_node(hardware: InstanceType, *, jobs_tell: bool = True) -> int:
    """Series of one compute node of this type. ``jobs_tell``: its jobs serve metrics of their own and have
    NCCL Inspector on.
    """
    total = SLURM_SERIES_A_NODE
    for metric in METRICS.values():
        if metric.series_per in _NOT_OF_NODES or "cloudwatch" in metric.exporter.name.lower():
            continue
        if metric.gpu_architectures and hardware.gpu.architecture not in metric.gpu_architectures:
            continue
        if metric.exporter in (APPLICATION, NCCL_INSPECTOR) and not jobs_tell:
            continue
        count = _count(metric.series_per, hardware)
        total += count * (_HISTOGRAM_SERIES if metric.kind == "histogram" else 1)
    return total


def _count(per: str, hardware: InstanceType) -> int:
    if per in _EACH_GPU:
        return _EACH_GPU[per] * hardware.gpus
    if per == "efa":
        return hardware.efa_count
    if per == "disk":
        return hardware.nvme_count + 2
    try:
        return _EACH[per]
    except KeyError:
        raise UncountedSeries(f"a metric has a series per {per!r}: count it in {__name__}") from None
