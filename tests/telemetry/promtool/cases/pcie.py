"""PCIe."""

from __future__ import annotations

from tests.telemetry.promtool.case import Case
from tests.telemetry.promtool.series import GPU, gpu

_AT = "train-1 (i-0a1), GPU 3 at 00000000:53:00.0"
_OF = {"gpu": GPU["gpu"], "pci_bus_id": GPU["pci_bus_id"]}
_BUSY = gpu("DCGM_FI_DEV_GPU_UTIL", 98, 98)
_GENERATIONS = gpu("DCGM_FI_DEV_PCIE_MAX_LINK_GEN", 5, 5)

CASES = (
    Case(
        alert="GpuPcieLinkNarrow",
        faulty=(gpu("DCGM_FI_DEV_PCIE_LINK_WIDTH", 16, 8), gpu("DCGM_FI_DEV_PCIE_MAX_LINK_WIDTH", 16, 16)),
        after_minutes=10,
        summary=f"{_AT} has 8 PCIe lanes only.",
        labels=_OF,
        blip=9,
    ),
    Case(
        alert="GpuPcieLinkSlow",
        faulty=(gpu("DCGM_FI_DEV_PCIE_LINK_GEN", 5, 3), _GENERATIONS, _BUSY),
        after_minutes=15,
        summary=f"{_AT} works over PCIe of generation 3.",
        labels=_OF,
        blip=14,
        silent={
            "a link that rests": (
                gpu("DCGM_FI_DEV_PCIE_LINK_GEN", 5, 1),
                _GENERATIONS,
                gpu("DCGM_FI_DEV_GPU_UTIL", 98, 0),
            )
        },
    ),
    Case(
        alert="GpuPcieReplays",
        faulty=(gpu("DCGM_FI_DEV_PCIE_REPLAY_COUNTER", 0, "0+6"),),
        after_minutes=2,
        summary=f"{_AT} has repeated 12 PCIe packets in 10 minutes.",
        labels=_OF,
        silent={"eight in ten minutes": (gpu("DCGM_FI_DEV_PCIE_REPLAY_COUNTER", 0, "0+0.8"),)},
    ),
)
