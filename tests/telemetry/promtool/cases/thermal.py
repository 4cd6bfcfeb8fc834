"""Heat and power."""

from __future__ import annotations

from tests.telemetry.promtool.case import Case
from tests.telemetry.promtool.series import GPU, gpu

_AT = "train-1 (i-0a1), GPU 3 at 00000000:53:00.0"
_OF = {"gpu": GPU["gpu"], "pci_bus_id": GPU["pci_bus_id"]}
_EVENTS = "DCGM_EXP_CLOCK_EVENTS_COUNT"
_SLOWDOWN = gpu("DCGM_FI_DEV_SLOWDOWN_TEMP", 87, 87)


CASES = (
    Case(
        alert="GpuHardwareSlowdown",
        faulty=(gpu(_EVENTS, "_", 30, clock_event="hw_power_brake", window_size_in_ms="300000"),),
        after_minutes=2,
        summary=f"{_AT} is slowed down by its hardware: heat, or the power brake.",
        labels=_OF,
        silent={
            "the power limit of software, as at any full load": (
                gpu(_EVENTS, "_", 30, clock_event="power_cap", window_size_in_ms="300000"),
            )
        },
    ),
    Case(
        alert="GpuNearSlowdown",
        faulty=(gpu("DCGM_FI_DEV_GPU_TEMP", 62, 86), _SLOWDOWN),
        after_minutes=5,
        summary=f"{_AT} has 86 °C, within 2 % of where it slows itself down.",
        labels=_OF,
        blip=4,
        silent={
            "hot, yet far from its limit": (gpu("DCGM_FI_DEV_GPU_TEMP", 62, 84), _SLOWDOWN),
            "a limit that is not told": (
                gpu("DCGM_FI_DEV_GPU_TEMP", 62, 86),
                gpu("DCGM_FI_DEV_SLOWDOWN_TEMP", 0, 0),
            ),
        },
    ),
    *(
        Case(
            alert=alert,
            faulty=(gpu(counter, 0, f"0+{0.2 * 60e9:.0f}"),),
            after_minutes=12,
            summary=f"{_AT} is slowed down {words} 20% of the time.",
            labels=_OF,
            silent={"2 % of the time": (gpu(counter, 0, f"0+{0.02 * 60e9:.0f}"),)},
        )
        for alert, counter, words in (
            ("GpuThermalThrottle", "DCGM_FI_DEV_THERMAL_VIOLATION", "by heat for"),
            ("GpuReliabilityThrottle", "DCGM_FI_DEV_RELIABILITY_VIOLATION", "for reliability"),
            ("GpuBoardLimitThrottle", "DCGM_FI_DEV_BOARD_LIMIT_VIOLATION", "by its board for"),
        )
    ),
    Case(
        alert="GpuPowerLimitLow",
        faulty=(
            gpu("DCGM_FI_DEV_POWER_MGMT_LIMIT", 700, 350),
            *(gpu("DCGM_FI_DEV_POWER_MGMT_LIMIT", 700, 700, gpu=str(each)) for each in (0, 1, 2)),
        ),
        after_minutes=15,
        summary=f"{_AT} may draw 350 W only, less than others of its type.",
        labels=_OF,
        blip=14,
        silent={
            "a lower limit for all": tuple(
                gpu("DCGM_FI_DEV_POWER_MGMT_LIMIT", 700, 350, gpu=str(each)) for each in range(4)
            )
        },
    ),
)
