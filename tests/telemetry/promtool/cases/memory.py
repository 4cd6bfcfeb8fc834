"""Memory errors."""

from __future__ import annotations

from tests.telemetry.promtool.case import Case
from tests.telemetry.promtool.series import GPU, gpu

_AT = "train-1 (i-0a1), GPU 3 at 00000000:53:00.0"
_OF = {"gpu": GPU["gpu"], "pci_bus_id": GPU["pci_bus_id"]}

CASES = (
    Case(
        alert="GpuRowRemapFailed",
        faulty=(gpu("DCGM_FI_DEV_ROW_REMAP_FAILURE", 0, 1),),
        after_minutes=0,
        summary=f"{_AT} could not remap a faulty memory row.",
        labels=_OF,
    ),
    Case(
        alert="GpuUncorrectedEcc",
        faulty=(gpu("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "_", 1),),
        after_minutes=0,
        summary=f"{_AT} has counted 1 uncorrected memory errors since the last boot.",
        labels=_OF,
        silent={"none": (gpu("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", 0, 0),)},
    ),
    Case(
        alert="GpuResetPending",
        faulty=(gpu("DCGM_FI_DEV_ROW_REMAP_PENDING", 0, 1),),
        after_minutes=15,
        summary=f"{_AT} has remapped a memory row and waits for a reset.",
        labels=_OF,
        blip=14,
    ),
    Case(
        alert="GpuCorrectedEccRate",
        faulty=(gpu("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", 0, "0+30"),),
        after_minutes=4,
        summary=f"{_AT} has corrected 120 memory errors in an hour.",
        labels=_OF,
        silent={"one a minute": (gpu("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", 0, "0+1"),)},
    ),
)
