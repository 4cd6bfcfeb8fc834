"""PCIe between a GPU and its host."""

from __future__ import annotations

from bedplate.telemetry.alerts.alert import Alert
from bedplate.telemetry.alerts.by import ON_GPU, per_gpu

_FIELDS = "NVIDIA/DCGM: dcgmlib/dcgm_fields.h"

ALERTS = (
    Alert(
        name="GpuPcieLinkNarrow",
        expression=f"{per_gpu('DCGM_FI_DEV_PCIE_LINK_WIDTH')} < {per_gpu('DCGM_FI_DEV_PCIE_MAX_LINK_WIDTH')}",
        hold_for_minutes=10,
        severity="page",
        scope="gpu",
        summary=f"{ON_GPU} has {{{{ $value }}}} PCIe lanes only.",
        meaning="Lanes were lost at link training: the way to EFA devices and to the host is slower.",
        action="Drain the node and have it replaced.",
        dashboard="bedplate-gpu",
        source=f"{_FIELDS} (236, 238); oracle-quickstart/oci-hpc replaces nodes on it",
        own_choice="10 minutes",
    ),
    Alert(
        name="GpuPcieLinkSlow",
        # An idle link may rest at a lower generation.
        expression=(
            f"({per_gpu('DCGM_FI_DEV_PCIE_LINK_GEN')} < {per_gpu('DCGM_FI_DEV_PCIE_MAX_LINK_GEN')}) "
            f"and {per_gpu('DCGM_FI_DEV_GPU_UTIL')} > 50"
        ),
        hold_for_minutes=15,
        severity="ticket",
        scope="gpu",
        summary=f"{ON_GPU} works over PCIe of generation {{{{ $value }}}}.",
        meaning="The link has fallen back to a slower generation, though the GPU is at work.",
        action="Drain the node after the job and reboot it; have it replaced if it comes again.",
        dashboard="bedplate-gpu",
        source=f"{_FIELDS} (235, 237)",
        own_choice="15 minutes at more than 50 % utilization",
    ),
    Alert(
        name="GpuPcieReplays",
        expression=f"{per_gpu('increase(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[10m])')} > 10",
        severity="ticket",
        scope="gpu",
        summary=f'{ON_GPU} has repeated {{{{ printf "%.0f" $value }}}} PCIe packets in 10 minutes.',
        meaning="Packets were damaged between GPU and host and sent again.",
        action="Watch the GPU; have the node replaced if the rate lasts or lanes are lost.",
        dashboard="bedplate-gpu",
        source=f"{_FIELDS} (202)",
        own_choice="10 in 10 minutes",
    ),
)
