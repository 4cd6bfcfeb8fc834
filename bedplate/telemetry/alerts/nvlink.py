"""NVLink inside a node and an UltraServer. Hopper counts lanes, Blackwell's NVLink 5 counts its own way."""

from __future__ import annotations

from bedplate.telemetry.alerts.alert import Alert
from bedplate.telemetry.alerts.by import ON_GPU, per_gpu

_FIELDS = "NVIDIA/DCGM: dcgmlib/dcgm_fields.h"
_WATCH = "Run `bedplate validate` on the node when it is idle; have it replaced if it comes again."

_UNHEALTHY = f"{per_gpu('DCGM_FI_DEV_FABRIC_HEALTH_SUMMARY')} == 2"


def _failed(since: str) -> str:
    return per_gpu(f"increase(DCGM_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_FAILED_EVENTS[{since}])") + " > 0"


# A recovery fails once and the fabric stays unhealthy: while it does, the first page holds, or two came.
ALERTS = (
    Alert(
        name="GpuNvlinkRecoveryFailed",
        expression=f"({_failed('10m')}) or (({_failed('1d')}) and {_UNHEALTHY})",
        severity="page",
        scope="gpu",
        summary=f"{ON_GPU} could not bring an NVLink back.",
        meaning="The link is down: what the job sends over it fails.",
        action="Drain the node and reset its GPUs; have it replaced if the link stays down.",
        dashboard="bedplate-gpu",
        source=f"{_FIELDS} (1212)",
    ),
    Alert(
        name="GpuFabricUnhealthy",
        expression=_UNHEALTHY,
        hold_for_minutes=3,
        severity="page",
        scope="gpu",
        summary=f"{ON_GPU} is in an unhealthy NVLink fabric.",
        meaning="The fabric manager says that the GPU cannot be used over NVLink.",
        action="Drain the node and read the fabric manager's log; look at the UltraServer's other nodes too.",
        dashboard="bedplate-gpu",
        source=f"{_FIELDS} (175)",
        own_choice="3 minutes",
    ),
    Alert(
        name="GpuFabricLimited",
        expression=f"{per_gpu('DCGM_FI_DEV_FABRIC_HEALTH_SUMMARY')} == 3",
        hold_for_minutes=10,
        severity="ticket",
        scope="gpu",
        summary=f"{ON_GPU} is in an NVLink fabric of limited capacity.",
        meaning="The fabric works with fewer links than it has.",
        action=_WATCH,
        dashboard="bedplate-gpu",
        source=f"{_FIELDS} (175)",
        own_choice="10 minutes",
    ),
    Alert(
        name="GpuNvlinkRecovery",
        expression=(
            per_gpu("increase(DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL[10m])")
            + " > 0 or "
            + per_gpu("increase(DCGM_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_SUCCESSFUL_EVENTS[10m])")
            + " > 0"
        ),
        severity="ticket",
        scope="gpu",
        summary=f"{ON_GPU} has retrained an NVLink.",
        meaning="A link went down and came back: traffic stood still meanwhile.",
        action=_WATCH,
        dashboard="bedplate-gpu",
        source=f"{_FIELDS} (439, 1211)",
    ),
    Alert(
        name="GpuNvlinkReplays",
        expression=per_gpu("increase(DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL[10m])") + " > 10",
        severity="ticket",
        scope="gpu",
        summary=f'{ON_GPU} has sent over NVLink again {{{{ printf "%.0f" $value }}}} times in 10 minutes.',
        meaning="Packets were damaged on the link and sent again.",
        action=_WATCH,
        dashboard="bedplate-gpu",
        source=f"{_FIELDS} (429); aws/sagemaker-hyperpod-cluster-setup alerts at the same count",
    ),
    Alert(
        name="GpuNvlinkCrc",
        expression=per_gpu("rate(DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL[10m])") + " > 1",
        hold_for_minutes=10,
        severity="ticket",
        scope="gpu",
        summary=f'{ON_GPU} sees {{{{ printf "%.1f" $value }}}} CRC errors a second on NVLink.',
        meaning="Flits arrive damaged; they are sent again, and the link is slower.",
        action=_WATCH,
        dashboard="bedplate-gpu",
        source=f"{_FIELDS} (409)",
        own_choice="one a second over 10 minutes",
    ),
    Alert(
        name="GpuNvlinkErrors",
        expression=per_gpu("rate(DCGM_FI_DEV_NVLINK_COUNT_RX_ERRORS[10m])") + " > 1",
        hold_for_minutes=10,
        severity="ticket",
        scope="gpu",
        summary=f'{ON_GPU} receives {{{{ printf "%.1f" $value }}}} damaged NVLink packets a second.',
        meaning="NVLink 5 counts packets received with an error. Symbol errors are corrected, and normal.",
        action=_WATCH,
        dashboard="bedplate-gpu",
        source=f"{_FIELDS} (1206)",
        own_choice="one a second over 10 minutes",
    ),
)
