"""What NVIDIA's own diagnostics ask of a GPU model, and what NVIDIA measured when it set that.

``nvvs/diag-skus.yaml.in`` of NVIDIA/DCGM 4.6.0 holds, for each PCI device id, the least rate that a healthy
part must reach, with the measurement (by ``dcgmproftester``) that three quarters were taken of. Where a model
has several rows, by subsystem, the lowest stands here: no source says which of them EC2's boards carry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Optional

_SKUS = "NVIDIA/DCGM 4.6.0: nvvs/diag-skus.yaml.in, device {id}"
_HOPPER_SHEET = "NVIDIA H100 and H200 Tensor Core GPU datasheets, SXM column: FP32 67 TFLOPS"
_BLACKWELL_SHEET = "NVIDIA Blackwell datasheet: FP32 {tflops} TFLOPS a GPU"


@dataclass(frozen=True)
class GpuRates:
    """The rates of one GPU model. ``*_gflops`` are 1e9 single-precision operations a second of a matrix
    product, ``*_gb_per_s`` are 1e9 bytes a second of the GPU's own memory.

    ``pcie_lanes`` is the least width of its link, None where NVIDIA's table asks for one lane only.
    ``measured_*`` is what NVIDIA saw, ``floor_*`` what it asks of every part, ``fp32_peak_gflops`` the
    sheet's peak, None where no sheet was found.
    """

    model: str
    pcie_lanes: Optional[int]  # noqa: UP045 - evaluated on Python 3.9
    measured_gflops: float
    floor_gflops: float
    measured_gb_per_s: float
    floor_gb_per_s: float
    fp32_peak_gflops: Optional[float]  # noqa: UP045
    note: str
    sources: tuple[str, ...]


_ROWS = (
    GpuRates(
        model="H100",
        pcie_lanes=16,
        measured_gflops=39_000,
        floor_gflops=29_250,
        measured_gb_per_s=2_540,
        floor_gb_per_s=1_905,
        fp32_peak_gflops=67_000,
        note="",
        sources=(_SKUS.format(id="2330"), _HOPPER_SHEET),
    ),
    GpuRates(
        model="H200",
        pcie_lanes=16,
        measured_gflops=50_000,
        floor_gflops=37_500,
        measured_gb_per_s=3_110,
        floor_gb_per_s=2_333,
        fp32_peak_gflops=67_000,
        note="DCGM's table holds 2333 where its unit is MB/s: a thousandth of what its comment says, which "
        "no part can fail. The floor here is the comment's.",
        sources=(_SKUS.format(id="2335"), _HOPPER_SHEET),
    ),
    GpuRates(
        model="B200",
        pcie_lanes=16,
        measured_gflops=16_500,
        floor_gflops=12_375,
        measured_gb_per_s=3_410.833,
        floor_gb_per_s=2_558.124,
        fp32_peak_gflops=75_000,
        note="The lowest of the table's four rows for B200, which ask for up to 36,949 GFLOPS and 4366 GB/s.",
        sources=(_SKUS.format(id="2901, subsystem 199b"), _BLACKWELL_SHEET.format(tflops=75)),
    ),
    GpuRates(
        model="B300",
        pcie_lanes=None,
        measured_gflops=49_100,
        floor_gflops=36_825,
        measured_gb_per_s=6_164.48,
        floor_gb_per_s=4_623.36,
        fp32_peak_gflops=None,
        note="",
        sources=(_SKUS.format(id="3182"),),
    ),
    GpuRates(
        model="GB200",
        pcie_lanes=None,
        measured_gflops=20_300,
        floor_gflops=15_225,
        measured_gb_per_s=3_470,
        floor_gb_per_s=2_602.5,
        fp32_peak_gflops=80_000,
        note="",
        sources=(_SKUS.format(id="2941"), _BLACKWELL_SHEET.format(tflops=80)),
    ),
)

GPU_RATES: Mapping[str, GpuRates] = MappingProxyType({row.model: row for row in _ROWS})
"""By GPU model, as in ``bedplate.hardware.gpus``."""
