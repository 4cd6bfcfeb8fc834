"""The software that every simulated node carries: one set of versions that belong together.

EFA installer 1.43.2 brings libfabric 2.1.0amzn5.0 and aws-ofi-nccl 1.16.3 (change log of the EFA installer on
docs.aws); that plugin release is tested with NCCL 2.27 (release notes of aws/aws-ofi-nccl). Driver and DCGM
are of the same season.
"""

from __future__ import annotations

KERNEL = "6.8.0-1036-aws"
NVIDIA_DRIVER = "570.172.08"
CUDA = "12.8"
DCGM = "4.4.1"
GDRCOPY = "2.5"
ENROOT = "3.4.1"
NCCL = "2.27.7"
NCCL_CODE = 22707
NCCL_TESTS = "2.17.6"
OFI_PLUGIN = "1.16.3"
OLD_OFI_PLUGIN = "1.12.0"
"""A release with a known fault (bedplate.hardware.software.rows)."""
LIBFABRIC = "2.1.0amzn5.0"
LIBFABRIC_API = "2.1"
EFA_INSTALLER = "1.43.2"
EFA_DRIVER = "2.17.2g"
OTHER_EFA_DRIVER = "2.17.3g"
# P6-B300 needs aws-ofi-nccl 1.18 or newer; 1.19 was released with NCCL 2.27 to 2.29 (its release notes). What
# installer 1.46 brings no source tells line by line: an assumption of this sandbox.
_B300_PLUGIN, _B300_INSTALLER = "1.19.0", "1.46.0"
SLURM = "25.05.5"
LUSTRE = "2.15.6"

# Part of the model's name → (name, MiB, VBIOS) as nvidia-smi prints them; the first that fits is taken.
GPU_NAMES = {
    "A100": ("NVIDIA A100-SXM4-80GB", 81920, "92.00.A0.00.05"),
    "H100": ("NVIDIA H100 80GB HBM3", 81559, "96.00.A5.00.01"),
    "H200": ("NVIDIA H200", 143771, "96.00.CF.00.01"),
    "GB200": ("NVIDIA GB200", 189471, "97.00.82.00.10"),
    "B200": ("NVIDIA B200", 183359, "97.00.88.00.0F"),
    "B300": ("NVIDIA B300 SXM6 AC", 275040, "97.10.4B.00.03"),
}

OTHER_GPU = ("NVIDIA A10G", 23028, "94.02.75.00.01")
"""A GPU that no type of the hardware table has, as ``GPU_NAMES`` has the others."""


def ofi_plugin(instance_type: str) -> str:
    """The release of aws-ofi-nccl on nodes of the type."""
    return _B300_PLUGIN if instance_type.startswith("p6-b300.") else OFI_PLUGIN


def efa_installer(instance_type: str) -> str:
    """The EFA installer that nodes of the type were set up by."""
    return _B300_INSTALLER if instance_type.startswith("p6-b300.") else EFA_INSTALLER


def efa_driver(*, mixed_images: bool, private_ip: str) -> str:
    """The node's EFA driver: of mixed images, every second node (by address) carries another."""
    odd = int(private_ip.rpartition(".")[2]) % 2 == 1
    return OTHER_EFA_DRIVER if mixed_images and odd else EFA_DRIVER


def gpu_identity(model: str, memory_mib: int) -> tuple[str, int, str]:
    """(name, memory in MiB, VBIOS version) as ``nvidia-smi`` prints them for a GPU model of the hardware
    table.
    """
    for part, identity in GPU_NAMES.items():
        if part in model:
            return identity
    return (f"NVIDIA {model}", memory_mib, "00.00.00.00.00")
