"""GPU models, from NVIDIA's own sheets. Tensor figures there are with sparsity; these are the halves without.

The sheets give 7.7 TB/s for B200 on the HGX board in later printings and 8 TB/s in earlier ones; 8 is the
part's own rate, so that a share of peak computed with it never flatters.
"""

from __future__ import annotations

from bedplate.hardware.gpu import Gpu

_API = "EC2 API: DescribeInstanceTypes, GpuInfo"
_HOPPER = "NVIDIA H100 and H200 Tensor Core GPU datasheets, SXM column"
_NVLINK4 = "NVIDIA H100 datasheet: fourth-generation NVLink, 900 GB/s both ways over 18 links"
_BLACKWELL = "NVIDIA Blackwell datasheet, HGX B200 and B300 columns"
_NVLINK5 = "NVIDIA Blackwell datasheet: fifth-generation NVLink, 1.8 TB/s both ways over 18 links"
_GB200_PAGE = (
    "NVIDIA GB200 NVL72 page, column of the Superchip (2 GPUs): FP4 40 PFLOPS with and 20 without sparsity, "
    "FP8 20 and BF16 10 with sparsity; 372 GB HBM3e at 16 TB/s"
)

H100 = Gpu(
    model="H100",
    architecture="Hopper",
    memory_mib=81_920,
    hbm_tb_per_s=3.35,
    bf16_dense_pflops=0.9895,
    fp8_dense_pflops=1.979,
    fp4_dense_pflops=None,
    nvlinks=18,
    nvlink_gb_per_s=450,
    sources=(_HOPPER, _NVLINK4, _API),
)

H200 = Gpu(
    model="H200",
    architecture="Hopper",
    memory_mib=144_384,
    hbm_tb_per_s=4.8,
    bf16_dense_pflops=0.9895,
    fp8_dense_pflops=1.979,
    fp4_dense_pflops=None,
    nvlinks=18,
    nvlink_gb_per_s=450,
    sources=(_HOPPER, _NVLINK4, _API),
)

B200 = Gpu(
    model="B200",
    architecture="Blackwell",
    memory_mib=183_359,
    hbm_tb_per_s=8,
    bf16_dense_pflops=2.25,
    fp8_dense_pflops=4.5,
    fp4_dense_pflops=9,
    nvlinks=18,
    nvlink_gb_per_s=900,
    sources=(_BLACKWELL, _NVLINK5, _API),
)

B300 = Gpu(
    model="B300",
    architecture="Blackwell",
    memory_mib=275_040,
    hbm_tb_per_s=8,
    bf16_dense_pflops=2.25,
    fp8_dense_pflops=4.5,
    fp4_dense_pflops=13.5,
    nvlinks=18,
    nvlink_gb_per_s=900,
    sources=(_BLACKWELL, _NVLINK5, _API),
)

GB200 = Gpu(
    model="GB200",
    architecture="Blackwell",
    # EC2's own pages say about 185 GB a GPU and NVIDIA's sheet 186 GB; what the API reports was not seen.
    memory_mib=None,
    hbm_tb_per_s=8,
    bf16_dense_pflops=2.5,
    fp8_dense_pflops=5,
    fp4_dense_pflops=10,
    nvlinks=18,
    nvlink_gb_per_s=900,
    sources=(
        _GB200_PAGE,
        _NVLINK5,
    ),
)

GPUS = {gpu.model: gpu for gpu in (H100, H200, B200, B300, GB200)}
"""GPU by model name."""
