"""What one GPU can do at most, by the maker's own sheet."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Gpu:
    """One GPU model. ``architecture`` is NVIDIA's name of its generation.

    ``*_dense_pflops`` are peak petaFLOPS (1e15 operations a second) without structured sparsity;
    ``hbm_tb_per_s`` is 1e12 bytes a second; ``nvlink_gb_per_s`` is 1e9 bytes a second in one direction over
    all ``nvlinks`` of the GPU. ``memory_mib`` is what DescribeInstanceTypes reports. ``None`` means that no
    source gives it, or that the part has no such unit.
    """

    model: str
    architecture: str
    memory_mib: int | None
    hbm_tb_per_s: float
    bf16_dense_pflops: float
    fp8_dense_pflops: float
    fp4_dense_pflops: float | None
    nvlinks: int
    nvlink_gb_per_s: float
    sources: tuple[str, ...]
