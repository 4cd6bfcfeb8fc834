"""GPU models, from NVIDIA's own sheets."""

from __future__ import annotations

from bedplate.hardware.gpu import Gpu

_EC2 = "DescribeInstanceTypes, GpuInfo.Gpus.MemoryInfo"
_HOPPER = "NVIDIA H100 and H200 Tensor Core GPU datasheets, SXM column (sparse figures halved)"

H100 = Gpu(
    model="H100",
    memory_mib=81_920,
    hbm_tb_per_s=3.35,
    bf16_dense_pflops=0.9895,
    fp8_dense_pflops=1.979,
    fp4_dense_pflops=None,
    nvlinks=18,
    nvlink_gb_per_s=450,
    sources=(_HOPPER, _EC2),
)

H200 = Gpu(
    model="H200",
    memory_mib=144_384,
    hbm_tb_per_s=4.8,
    bf16_dense_pflops=0.9895,
    fp8_dense_pflops=1.979,
    fp4_dense_pflops=None,
    nvlinks=18,
    nvlink_gb_per_s=450,
    sources=(_HOPPER, _EC2),
)
