"""What is recorded of each pool."""

from __future__ import annotations

from bedplate.telemetry.recording.recorded import Recorded

POOL = ("environment", "cluster", "pool")
_BY = f"by ({', '.join(POOL)})"
_BY_NODE = f"by ({', '.join(POOL)}, node)"
_BY_GPU = f"by ({', '.join(POOL)}, node, gpu)"


def _pool(name: str, expression: str, *, unit: str, text: str) -> Recorded:
    return Recorded(name=f"bedplate:{name}", expression=expression, labels=POOL, unit=unit, help=text)


RECORDED = (
    _pool(
        "pool_gpus_expected",
        f"sum {_BY} (max {_BY_NODE} (bedplate_expected_gpus))",
        unit="1",
        text="GPUs that the nodes of a pool have by their type",
    ),
    _pool(
        "pool_gpus_seen",
        f"count {_BY} (max {_BY_GPU} (DCGM_FI_DEV_GPU_TEMP))",
        unit="1",
        text="GPUs that exporters tell of",
    ),
    _pool(
        "pool_gpus_busy",
        f"sum {_BY} (max {_BY_GPU} (DCGM_FI_DEV_GPU_UTIL) > bool 0)",
        unit="1",
        text="GPUs on which a kernel ran",
    ),
    _pool(
        "pool_sm_active",
        f"avg {_BY} (DCGM_FI_PROF_SM_ACTIVE)",
        unit="ratio",
        text="share of SM cycles with a warp at work, over the GPUs of a pool",
    ),
    _pool(
        "pool_tensor_active",
        f"avg {_BY} (DCGM_FI_PROF_PIPE_TENSOR_ACTIVE)",
        unit="ratio",
        text="share of cycles with the tensor pipe at work, over the GPUs of a pool",
    ),
    _pool(
        "pool_power_watts",
        f"sum {_BY} (max {_BY_GPU} (DCGM_FI_DEV_POWER_USAGE))",
        unit="watts",
        text="power that the GPUs of a pool draw",
    ),
    _pool(
        "pool_efa_tx_bytes:rate5m",
        f"sum {_BY} (rate(node_amazonefa_tx_bytes[5m]))",
        unit="bytes/s",
        text="sent over EFA by the nodes of a pool",
    ),
    _pool(
        "pool_lustre_bytes:rate5m",
        f"sum {_BY} (rate(bedplate_lustre_read_bytes_total[5m])) + "
        f"sum {_BY} (rate(bedplate_lustre_written_bytes_total[5m]))",
        unit="bytes/s",
        text="read from and written to Lustre by the nodes of a pool",
    ),
    _pool(
        "pool_throttled:rate5m",
        f"avg {_BY} (rate(DCGM_FI_DEV_THERMAL_VIOLATION[5m])) / 1e9",
        unit="ratio",
        text="share of time throttled by heat, over the GPUs of a pool",
    ),
)
