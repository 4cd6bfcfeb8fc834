"""The rates of GPU models: consistent with themselves, and below what the parts can do."""

from __future__ import annotations

import pytest

from bedplate.hardware import GPUS
from bedplate.hardware.gpu_rates import GPU_RATES, GpuRates


def test_every_model_has_rates_with_a_source() -> None:
    """No model that EC2 sells here is without, and each names where it comes from."""
    assert set(GPU_RATES) == set(GPUS)
    assert all(row.sources and "diag-skus" in row.sources[0] for row in GPU_RATES.values())


@pytest.mark.parametrize("row", GPU_RATES.values(), ids=list(GPU_RATES))
def test_floors_are_three_quarters_of_what_was_measured(row: GpuRates) -> None:
    """NVIDIA's own rule, rounded down as its table rounds."""
    assert row.floor_gflops == pytest.approx(0.75 * row.measured_gflops, rel=1e-3)
    assert row.floor_gb_per_s == pytest.approx(0.75 * row.measured_gb_per_s, rel=1e-3)


@pytest.mark.parametrize("row", GPU_RATES.values(), ids=list(GPU_RATES))
def test_nothing_measured_exceeds_the_parts_peak(row: GpuRates) -> None:
    """A floor above its ceiling is a mistake in the data."""
    assert row.measured_gb_per_s < GPUS[row.model].hbm_tb_per_s * 1000
    if row.fp32_peak_gflops is not None:
        assert row.measured_gflops < row.fp32_peak_gflops
