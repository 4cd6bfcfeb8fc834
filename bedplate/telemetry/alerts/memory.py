"""Memory errors of GPUs."""

from __future__ import annotations

from bedplate.telemetry.alerts.alert import Alert
from bedplate.telemetry.alerts.by import ON_GPU, per_gpu

_REMAPPING = "NVIDIA GPU Memory Error Management: row remapping"

ALERTS = (
    Alert(
        name="GpuRowRemapFailed",
        expression=f"{per_gpu('DCGM_FI_DEV_ROW_REMAP_FAILURE')} > 0",
        severity="page",
        scope="gpu",
        summary=f"{ON_GPU} could not remap a faulty memory row.",
        meaning="The GPU has no spare rows left in a bank: the faulty row stays in use.",
        action="Drain the node and have it replaced.",
        dashboard="bedplate-gpu",
        source=_REMAPPING,
    ),
    Alert(
        name="GpuUncorrectedEcc",
        # Not increase(): the first sample after a boot may already be 1.
        expression=f"{per_gpu('DCGM_FI_DEV_ECC_DBE_VOL_TOTAL')} > 0",
        severity="page",
        scope="gpu",
        summary=f"{ON_GPU} has counted {{{{ $value }}}} uncorrected memory errors since the last boot.",
        meaning="Data in the GPU's memory was wrong and could not be corrected: the job with it is lost.",
        action="Drain the node, reset the GPU, and run `bedplate validate` before it takes jobs again.",
        dashboard="bedplate-gpu",
        source="NVIDIA/DCGM: dcgmlib/dcgm_fields.h (311)",
    ),
    Alert(
        name="GpuResetPending",
        expression=f"{per_gpu('DCGM_FI_DEV_ROW_REMAP_PENDING')} > 0",
        hold_for_minutes=15,
        severity="ticket",
        scope="gpu",
        summary=f"{ON_GPU} has remapped a memory row and waits for a reset.",
        meaning="The repair is recorded and takes effect at the next reset.",
        action="Reset the GPU when the node is idle.",
        dashboard="bedplate-gpu",
        source=_REMAPPING,
    ),
    Alert(
        name="GpuCorrectedEccRate",
        expression=f"{per_gpu('increase(DCGM_FI_DEV_ECC_SBE_VOL_TOTAL[1h])')} > 100",
        severity="ticket",
        scope="gpu",
        summary=f'{ON_GPU} has corrected {{{{ printf "%.0f" $value }}}} memory errors in an hour.',
        meaning="Single bits are corrected and harm no job. The driver tells of a high rate by Xid 92.",
        action="Watch the GPU; have the node replaced if uncorrected errors follow.",
        dashboard="bedplate-gpu",
        source="NVIDIA/DCGM: dcgmlib/dcgm_fields.h (310)",
        own_choice="100 errors an hour",
    ),
)
