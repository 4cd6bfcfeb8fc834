"""Heat and power: what slows a GPU down. The power limit of software is none of it: full load reaches it."""

from __future__ import annotations

from bedplate.telemetry.alerts.alert import Alert
from bedplate.telemetry.alerts.by import ON_GPU, per_gpu

_TYPE = "environment, cluster, instance_type"
_FIELDS = "NVIDIA/DCGM: dcgmlib/dcgm_fields.h"

ALERTS = (
    Alert(
        name="GpuHardwareSlowdown",
        expression=per_gpu('DCGM_EXP_CLOCK_EVENTS_COUNT{clock_event=~"hw_power_brake|hw_thermal"}') + " > 0",
        hold_for_minutes=2,
        severity="page",
        scope="gpu",
        summary=f"{ON_GPU} is slowed down by its hardware: heat, or the power brake.",
        meaning="The board itself halves the clocks or worse, apart from what the driver does.",
        action="Drain the node and open a case with AWS: cooling and power are not in your hands.",
        dashboard="bedplate-gpu",
        source="NVIDIA/dcgm-exporter: internal/pkg/collector; NVML, clocks event reasons",
    ),
    Alert(
        name="GpuNearSlowdown",
        expression=(
            f"{per_gpu('DCGM_FI_DEV_GPU_TEMP')} > 0.98 * ({per_gpu('DCGM_FI_DEV_SLOWDOWN_TEMP')} > 0)"
        ),
        hold_for_minutes=5,
        severity="page",
        scope="gpu",
        summary=f"{ON_GPU} has {{{{ $value }}}} °C, within 2 % of where it slows itself down.",
        meaning="The limit is the GPU's own, which differs from model to model.",
        action="Drain the node and open a case with AWS: cooling is not in your hands.",
        dashboard="bedplate-gpu",
        source=f"{_FIELDS} (150, 158); oracle-quickstart/oci-hpc alerts at the same share",
        own_choice="5 minutes",
    ),
    Alert(
        name="GpuThermalThrottle",
        expression=f"{per_gpu('rate(DCGM_FI_DEV_THERMAL_VIOLATION[5m])')} / 1e9 > 0.05",
        hold_for_minutes=10,
        severity="ticket",
        scope="gpu",
        summary=f"{ON_GPU} is slowed down by heat for {{{{ humanizePercentage $value }}}} of the time.",
        meaning="The counter is in nanoseconds of throttling.",
        action="Compare it with other GPUs of the job; drain the node if it is alone in this.",
        dashboard="bedplate-gpu",
        source=f"{_FIELDS} (241)",
        own_choice="5 % of the time over 10 minutes",
    ),
    Alert(
        name="GpuReliabilityThrottle",
        expression=f"{per_gpu('rate(DCGM_FI_DEV_RELIABILITY_VIOLATION[5m])')} / 1e9 > 0.05",
        hold_for_minutes=10,
        severity="ticket",
        scope="gpu",
        summary=f"{ON_GPU} is slowed down for reliability {{{{ humanizePercentage $value }}}} of the time.",
        meaning="The GPU holds its clocks down to keep its voltage within what is reliable.",
        action="Compare it with other GPUs of the job; drain the node if it is alone in this.",
        dashboard="bedplate-gpu",
        source=f"{_FIELDS} (245)",
        own_choice="5 % of the time over 10 minutes",
    ),
    Alert(
        name="GpuBoardLimitThrottle",
        expression=f"{per_gpu('rate(DCGM_FI_DEV_BOARD_LIMIT_VIOLATION[5m])')} / 1e9 > 0.05",
        hold_for_minutes=10,
        severity="ticket",
        scope="gpu",
        summary=f"{ON_GPU} is slowed down by its board for {{{{ humanizePercentage $value }}}} of the time.",
        meaning="A limit of the board's voltage is reached.",
        action="Compare it with other GPUs of the job; drain the node if it is alone in this.",
        dashboard="bedplate-gpu",
        source=f"{_FIELDS} (243)",
        own_choice="5 % of the time over 10 minutes",
    ),
    Alert(
        name="GpuPowerLimitLow",
        expression=(
            f"{per_gpu('DCGM_FI_DEV_POWER_MGMT_LIMIT')} < on ({_TYPE}) group_left "
            f"0.95 * quantile by ({_TYPE}) (0.5, DCGM_FI_DEV_POWER_MGMT_LIMIT)"
        ),
        hold_for_minutes=15,
        severity="ticket",
        scope="gpu",
        summary=f"{ON_GPU} may draw {{{{ $value }}}} W only, less than others of its type.",
        meaning="Somebody has set a lower power limit, or the board reports one.",
        action="Set the limit back (`nvidia-smi -pl`); have the node replaced where it does not stay.",
        dashboard="bedplate-gpu",
        source=f"{_FIELDS} (160)",
        own_choice="5 % below the median of the type",
    ),
)
