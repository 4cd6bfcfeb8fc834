"""What is recorded of each node."""

from __future__ import annotations

from bedplate.telemetry.recording.recorded import Recorded

NODE = ("environment", "cluster", "pool", "instance_type", "zone", "instance_id", "node")
_BY = f"by ({', '.join(NODE)})"
_SEEN = f"count {_BY} (count {_BY[:-1]}, gpu) (DCGM_FI_DEV_GPU_TEMP))"
_EXPECTED = f"max {_BY} (bedplate_expected_gpus)"


def _node(name: str, expression: str, *, unit: str, text: str) -> Recorded:
    return Recorded(name=f"bedplate:{name}", expression=expression, labels=NODE, unit=unit, help=text)


RECORDED = (
    _node(
        "gpus_missing",
        # A node of which no GPU is seen has no count at all.
        f"{_EXPECTED} - ({_SEEN} or 0 * {_EXPECTED})",
        unit="1",
        text="GPUs that the instance type has and the exporter does not tell of",
    ),
    _node(
        "node_gpu_util",
        f"avg {_BY} (DCGM_FI_DEV_GPU_UTIL)",
        unit="percent",
        text="share of time in which any kernel ran, over the GPUs of a node",
    ),
    _node(
        "node_sm_active",
        f"avg {_BY} (DCGM_FI_PROF_SM_ACTIVE)",
        unit="ratio",
        text="share of SM cycles with a warp at work, over the GPUs of a node",
    ),
    _node(
        "node_job_nodes",
        f"max {_BY} (bedplate_job_node * on (environment, cluster, hpc_job) group_left "
        "count by (environment, cluster, hpc_job) (bedplate_job_node))",
        unit="1",
        text="nodes of the job that a node works for, of the largest where there are several",
    ),
    _node(
        "node_efa_tx_bytes:rate5m",
        f"sum {_BY} (rate(node_amazonefa_tx_bytes[5m]))",
        unit="bytes/s",
        text="sent over all EFA devices of a node",
    ),
    _node(
        "node_efa_rx_bytes:rate5m",
        f"sum {_BY} (rate(node_amazonefa_rx_bytes[5m]))",
        unit="bytes/s",
        text="received over all EFA devices of a node",
    ),
    _node(
        "node_efa_retrans_pkts:rate5m",
        f"sum {_BY} (rate(node_amazonefa_retrans_pkts[5m]))",
        unit="1/s",
        text="packets that a node sent again over EFA",
    ),
    _node(
        "node_lustre_read_bytes:rate5m",
        f"sum {_BY} (rate(bedplate_lustre_read_bytes_total[5m]))",
        unit="bytes/s",
        text="read from Lustre by a node",
    ),
    _node(
        "node_lustre_written_bytes:rate5m",
        f"sum {_BY} (rate(bedplate_lustre_written_bytes_total[5m]))",
        unit="bytes/s",
        text="written to Lustre by a node",
    ),
    _node(
        "node_throttled:rate5m",
        f"max {_BY} (rate(DCGM_FI_DEV_THERMAL_VIOLATION[5m])) / 1e9",
        unit="ratio",
        text="share of time throttled by heat, of the worst GPU of a node",
    ),
)
