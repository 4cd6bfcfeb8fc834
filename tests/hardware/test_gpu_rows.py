"""GPU rows."""

from __future__ import annotations

import pytest

from bedplate.hardware import GPUS, INSTANCE_TYPES, Gpu

EVERY = pytest.mark.parametrize("gpu", GPUS.values(), ids=list(GPUS))

# model: BF16, FP8, FP4 PFLOPS without sparsity, HBM TB/s
SHEETS = {
    "H100": (0.9895, 1.979, None, 3.35),
    "H200": (0.9895, 1.979, None, 4.8),
    "B200": (2.25, 4.5, 9, 8),
    "B300": (2.25, 4.5, 13.5, 8),
    "GB200": (2.5, 5, 10, 8),
}


@EVERY
def test_peaks_are_those_of_the_sheets(gpu: Gpu) -> None:
    """Peak FLOPS and memory bandwidth are those of NVIDIA's sheets, without sparsity."""
    peaks = (gpu.bf16_dense_pflops, gpu.fp8_dense_pflops, gpu.fp4_dense_pflops, gpu.hbm_tb_per_s)
    assert peaks == SHEETS[gpu.model]


@EVERY
def test_halving_the_width_doubles_the_peak(gpu: Gpu) -> None:
    """FP8 is twice BF16, and FP4 at least twice FP8 where the part has it."""
    assert gpu.fp8_dense_pflops == 2 * gpu.bf16_dense_pflops
    assert gpu.fp4_dense_pflops is None or gpu.fp4_dense_pflops >= 2 * gpu.fp8_dense_pflops


@EVERY
def test_links_and_their_rate_belong_together(gpu: Gpu) -> None:
    """18 links each: 25 GB/s a link with NVLink 4 and 50 with NVLink 5, in one direction."""
    assert gpu.nvlinks == 18
    assert gpu.nvlink_gb_per_s / gpu.nvlinks == (25 if gpu.model in ("H100", "H200") else 50)


@EVERY
def test_every_gpu_is_in_an_instance_and_names_its_sources(gpu: Gpu) -> None:
    """No row is idle, and each says where it comes from."""
    assert any(row.gpu is gpu for row in INSTANCE_TYPES.values())
    assert gpu.sources


def test_gb200_memory_is_left_open() -> None:
    """What the API reports for GB200 was not seen, so it is unknown and not a guess."""
    assert GPUS["GB200"].memory_mib is None
    assert INSTANCE_TYPES["p6e-gb200.36xlarge"].gpu_memory_mib is None
