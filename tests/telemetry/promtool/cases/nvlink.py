"""NVLink."""

from __future__ import annotations

from tests.telemetry.promtool.case import Case
from tests.telemetry.promtool.series import GPU, gpu

_AT = "train-1 (i-0a1), GPU 3 at 00000000:53:00.0"
_OF = {"gpu": GPU["gpu"], "pci_bus_id": GPU["pci_bus_id"]}
_NV = "DCGM_FI_DEV_NVLINK"
_SUMMARY = "DCGM_FI_DEV_FABRIC_HEALTH_SUMMARY"

CASES = (
    Case(
        alert="GpuNvlinkRecoveryFailed",
        faulty=(gpu(f"{_NV}_COUNT_LINK_RECOVERY_FAILED_EVENTS", 0, 1),),
        after_minutes=0,
        summary=f"{_AT} could not bring an NVLink back.",
        labels=_OF,
    ),
    Case(
        alert="GpuFabricUnhealthy",
        faulty=(gpu(_SUMMARY, 1, 2),),
        after_minutes=3,
        summary=f"{_AT} is in an unhealthy NVLink fabric.",
        labels=_OF,
        blip=2,
        silent={"no fabric of this kind": (gpu(_SUMMARY, 0, 0),), "limited": (gpu(_SUMMARY, 1, 3),)},
    ),
    Case(
        alert="GpuFabricLimited",
        faulty=(gpu(_SUMMARY, 1, 3),),
        after_minutes=10,
        summary=f"{_AT} is in an NVLink fabric of limited capacity.",
        labels=_OF,
        blip=9,
    ),
    Case(
        alert="GpuNvlinkRecovery",
        faulty=(gpu(f"{_NV}_RECOVERY_ERROR_COUNT_TOTAL", 0, 1),),
        after_minutes=0,
        summary=f"{_AT} has retrained an NVLink.",
        labels=_OF,
    ),
    Case(
        alert="GpuNvlinkReplays",
        faulty=(gpu(f"{_NV}_REPLAY_ERROR_COUNT_TOTAL", 0, "0+6"),),
        after_minutes=2,
        summary=f"{_AT} has sent over NVLink again 12 times in 10 minutes.",
        labels=_OF,
        silent={"eight in ten minutes": (gpu(f"{_NV}_REPLAY_ERROR_COUNT_TOTAL", 0, "0+0.8"),)},
    ),
    Case(
        alert="GpuNvlinkCrc",
        faulty=(gpu(f"{_NV}_CRC_FLIT_ERROR_COUNT_TOTAL", 0, "0+600"),),
        after_minutes=12,
        summary=f"{_AT} sees 10.0 CRC errors a second on NVLink.",
        labels=_OF,
        silent={"one in two seconds": (gpu(f"{_NV}_CRC_FLIT_ERROR_COUNT_TOTAL", 0, "0+30"),)},
    ),
    Case(
        alert="GpuNvlinkErrors",
        faulty=(gpu(f"{_NV}_COUNT_RX_ERRORS", 0, "0+600"),),
        after_minutes=12,
        summary=f"{_AT} receives 10.0 damaged NVLink packets a second.",
        labels=_OF,
        silent={"symbol errors, which are corrected": (gpu(f"{_NV}_COUNT_RX_SYMBOL_ERRORS", 0, "0+60000"),)},
    ),
)
