"""What dcgm-exporter reads from DCGM: one row a field, with the name that the exporter has used for years.

DCGM of 2026 has renamed fields and keeps the old names; the numbers have stayed. Counters of violations are
nanoseconds, whatever older help texts say (NVIDIA/DCGM: dcgmlib/dcgm_fields.h; NVIDIA/dcgm-exporter 589).
"""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.telemetry.metrics.exporters import DCGM_EXPORTER
from bedplate.telemetry.metrics.metric import Kind, Metric

_LABELS = ("gpu", "UUID", "pci_bus_id", "hpc_job")
_HOPPER = ("Hopper",)
_BLACKWELL = ("Blackwell",)
_FIELDS = "NVIDIA/DCGM: dcgmlib/dcgm_fields.h"


@dataclass(frozen=True, kw_only=True)
class DcgmMetric(Metric):
    """``field`` is DCGM's number; ``newer_name`` the name since 2026 where it differs, without ``DCGM_FI_``.
    ``profiling`` fields need the GPU's performance counters, which one DCGM at a time may read.
    """

    field: int
    newer_name: str = ""
    profiling: bool = False


Row = tuple[int, str, Kind, str, str, str]

# Number, name without DCGM_FI_, kind, unit, newer name without DCGM_FI_, help.
_ROWS: tuple[Row, ...] = (
    (100, "DEV_SM_CLOCK", "gauge", "MHz", "", "SM clock"),
    (101, "DEV_MEM_CLOCK", "gauge", "MHz", "", "memory clock"),
    (140, "DEV_MEMORY_TEMP", "gauge", "celsius", "DEV_MEMORY_TEMP_CELSIUS", "temperature of the memory"),
    (150, "DEV_GPU_TEMP", "gauge", "celsius", "DEV_GPU_TEMP_CELSIUS", "temperature of the GPU"),
    (
        158,
        "DEV_SLOWDOWN_TEMP",
        "gauge",
        "celsius",
        "DEV_GPU_TEMP_SLOWDOWN_CELSIUS",
        "temperature at which it slows itself down",
    ),
    (155, "DEV_POWER_USAGE", "gauge", "watts", "DEV_BOARD_POWER_WATTS", "power drawn"),
    (
        160,
        "DEV_POWER_MGMT_LIMIT",
        "gauge",
        "watts",
        "DEV_BOARD_POWER_LIMIT_REQUESTED_WATTS",
        "power that it may draw",
    ),
    (156, "DEV_TOTAL_ENERGY_CONSUMPTION", "counter", "mJ", "", "energy since the driver was loaded"),
    (202, "DEV_PCIE_REPLAY_COUNTER", "counter", "1", "DEV_PCIE_REPLAY_TOTAL", "PCIe replays"),
    (237, "DEV_PCIE_LINK_GEN", "gauge", "1", "", "PCIe generation of the link"),
    (238, "DEV_PCIE_LINK_WIDTH", "gauge", "1", "", "PCIe lanes of the link"),
    (235, "DEV_PCIE_MAX_LINK_GEN", "gauge", "1", "", "PCIe generation that the link can have"),
    (236, "DEV_PCIE_MAX_LINK_WIDTH", "gauge", "1", "", "PCIe lanes that the link can have"),
    (
        203,
        "DEV_GPU_UTIL",
        "gauge",
        "percent",
        "DEV_GPU_UTIL_RATIO",
        "share of time in which any kernel ran: a hung collective shows 100",
    ),
    (
        240,
        "DEV_POWER_VIOLATION",
        "counter",
        "ns",
        "",
        "time throttled by the power limit: normal at full load",
    ),
    (241, "DEV_THERMAL_VIOLATION", "counter", "ns", "", "time throttled by temperature"),
    (245, "DEV_RELIABILITY_VIOLATION", "counter", "ns", "", "time throttled for reliability"),
    (243, "DEV_BOARD_LIMIT_VIOLATION", "counter", "ns", "", "time throttled by a limit of the board"),
    (251, "DEV_FB_FREE", "gauge", "MiB", "", "free memory"),
    (252, "DEV_FB_USED", "gauge", "MiB", "", "used memory"),
    (310, "DEV_ECC_SBE_VOL_TOTAL", "counter", "1", "", "corrected memory errors since the driver was loaded"),
    (
        311,
        "DEV_ECC_DBE_VOL_TOTAL",
        "counter",
        "1",
        "",
        "uncorrected memory errors since the driver was loaded",
    ),
    (312, "DEV_ECC_SBE_AGG_TOTAL", "counter", "1", "", "corrected memory errors of the GPU's life"),
    (313, "DEV_ECC_DBE_AGG_TOTAL", "counter", "1", "", "uncorrected memory errors of the GPU's life"),
    (
        393,
        "DEV_UNCORRECTABLE_REMAPPED_ROWS",
        "counter",
        "1",
        "DEV_ROW_REMAP_UNCORRECTABLE_TOTAL",
        "rows remapped for uncorrectable errors",
    ),
    (
        394,
        "DEV_CORRECTABLE_REMAPPED_ROWS",
        "counter",
        "1",
        "DEV_ROW_REMAP_CORRECTABLE_TOTAL",
        "rows remapped for correctable errors",
    ),
    (
        395,
        "DEV_ROW_REMAP_FAILURE",
        "gauge",
        "1",
        "DEV_ROW_REMAP_FAILED",
        "1 where a row could not be remapped",
    ),
    (396, "DEV_ROW_REMAP_PENDING", "gauge", "1", "", "1 where a remap waits for a reset"),
    (
        1523,
        "DEV_GET_GPU_RECOVERY_ACTION",
        "gauge",
        "1",
        "DEV_GPU_RECOVERY_ACTION",
        "what NVIDIA wants done: 0 nothing, 1 reset the GPU, 2 reboot, 3 drain peers, 4 drain and reset",
    ),
    (
        449,
        "DEV_NVLINK_BANDWIDTH_TOTAL",
        "counter",
        "MB",
        "DEV_NVLINK_THROUGHPUT_TOTAL",
        "traffic over NVLink",
    ),
)

# Links before NVLink 5 count lanes, NVLink 5 counts its own way.
_NVLINK4_ROWS: tuple[Row, ...] = (
    (
        409,
        "DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL",
        "counter",
        "1",
        "DEV_NVLINK_CRC_FLIT_ERROR_TOTAL",
        "NVLink flits with a CRC error",
    ),
    (
        429,
        "DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL",
        "counter",
        "1",
        "DEV_NVLINK_REPLAY_ERROR_TOTAL",
        "NVLink replays",
    ),
    (
        439,
        "DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL",
        "counter",
        "1",
        "DEV_NVLINK_RECOVERY_ERROR_TOTAL",
        "NVLink recoveries",
    ),
)
_NVLINK5_ROWS: tuple[Row, ...] = (
    (
        1206,
        "DEV_NVLINK_COUNT_RX_ERRORS",
        "counter",
        "1",
        "DEV_NVLINK_RX_ERROR_TOTAL",
        "errors on received NVLink packets",
    ),
    (
        1211,
        "DEV_NVLINK_COUNT_LINK_RECOVERY_SUCCESSFUL_EVENTS",
        "counter",
        "1",
        "DEV_NVLINK_RECOVERY_SUCCESSFUL_TOTAL",
        "NVLink recoveries that succeeded",
    ),
    (
        1212,
        "DEV_NVLINK_COUNT_LINK_RECOVERY_FAILED_EVENTS",
        "counter",
        "1",
        "DEV_NVLINK_RECOVERY_FAILED_TOTAL",
        "NVLink recoveries that failed",
    ),
    (
        1214,
        "DEV_NVLINK_COUNT_RX_SYMBOL_ERRORS",
        "counter",
        "1",
        "DEV_NVLINK_RX_SYMBOL_ERROR_TOTAL",
        "symbol errors on received NVLink data",
    ),
    (
        175,
        "DEV_FABRIC_HEALTH_SUMMARY",
        "gauge",
        "1",
        "",
        "NVLink fabric: 0 not supported, 1 healthy, 2 unhealthy, 3 limited capacity",
    ),
)
_PROFILING_ROWS: tuple[Row, ...] = (
    (
        1001,
        "PROF_GR_ENGINE_ACTIVE",
        "gauge",
        "ratio",
        "PROF_GR_ENGINE_UTIL_RATIO",
        "share of time in which an engine was active",
    ),
    (
        1002,
        "PROF_SM_ACTIVE",
        "gauge",
        "ratio",
        "PROF_SM_UTIL_RATIO",
        "share of SM cycles with a warp at work",
    ),
    (1003, "PROF_SM_OCCUPANCY", "gauge", "ratio", "PROF_SM_OCCUPANCY_RATIO", "share of resident warps"),
    (
        1004,
        "PROF_PIPE_TENSOR_ACTIVE",
        "gauge",
        "ratio",
        "PROF_TENSOR_UTIL_RATIO",
        "share of cycles in which the tensor pipe was active",
    ),
    (
        1005,
        "PROF_DRAM_ACTIVE",
        "gauge",
        "ratio",
        "PROF_DRAM_UTIL_RATIO",
        "share of cycles in which the memory was active",
    ),
    (1009, "PROF_PCIE_TX_BYTES", "gauge", "bytes/s", "", "sent over PCIe"),
    (1010, "PROF_PCIE_RX_BYTES", "gauge", "bytes/s", "", "received over PCIe"),
    (1011, "PROF_NVLINK_TX_BYTES", "gauge", "bytes/s", "", "sent over NVLink"),
    (1012, "PROF_NVLINK_RX_BYTES", "gauge", "bytes/s", "", "received over NVLink"),
)


def _metric(row: Row, *, architectures: tuple[str, ...] = (), profiling: bool = False) -> DcgmMetric:
    field, name, kind, unit, newer, text = row
    return DcgmMetric(
        name=f"DCGM_FI_{name}",
        kind=kind,
        unit=unit,
        help=text,
        exporter=DCGM_EXPORTER,
        labels=_LABELS,
        series_per="gpu",
        gpu_architectures=architectures,
        source=_FIELDS,
        field=field,
        newer_name=newer,
        profiling=profiling,
    )


DCGM_METRICS: tuple[DcgmMetric, ...] = (
    *(_metric(row) for row in _ROWS),
    *(_metric(row, architectures=_HOPPER) for row in _NVLINK4_ROWS),
    *(_metric(row, architectures=_BLACKWELL) for row in _NVLINK5_ROWS),
    *(_metric(row, profiling=True) for row in _PROFILING_ROWS),
)
"""In the order in which the counter list has them."""
