"""What one GPU can do at most, by the maker's own sheet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple


@dataclass(frozen=True)
class Gpu:
    """One GPU model.

    ``*_dense_pflops`` are peak petaFLOPS (1e15 operations a second) without structured sparsity; ``hbm_tb_per_s`` is
    1e12 bytes a second; ``nvlink_gb_per_s`` is 1e9 bytes a second in one direction over all ``nvlinks`` of the GPU.
    ``memory_mib`` is what DescribeInstanceTypes reports, or ``None`` where no source gives it.
    """

    model: str
    memory_mib: Optional[int]
    hbm_tb_per_s: float
    bf16_dense_pflops: float
    fp8_dense_pflops: float
    fp4_dense_pflops: Optional[float]
    nvlinks: int
    nvlink_gb_per_s: float
    sources: Tuple[str, ...]
