"""Names and addresses of the devices in a simulated node."""

from __future__ import annotations

import hashlib

from bedplate.sandbox.fleet import versions
from bedplate.sandbox.fleet.truth import Hardware, NodeTruth

# Buses of the 8 GPUs of a p5-class instance; types with fewer take the first ones.
_GPU_BUSES = (0x53, 0x64, 0x75, 0x86, 0x97, 0xA8, 0xB9, 0xCA)


def gpu_bus(index: int) -> int:
    """The PCI bus of a GPU."""
    return _GPU_BUSES[index % len(_GPU_BUSES)]


def gpu_pci_address(index: int) -> str:
    """As the kernel log writes it, e.g. ``0000:53:00``."""
    return f"0000:{gpu_bus(index):02x}:00"


def gpu_uuid(node: NodeTruth, index: int) -> str:
    """A UUID that stays the same for the life of the instance."""
    digest = hashlib.sha256(f"{node.instance_id}-gpu-{index}".encode()).hexdigest()
    return f"GPU-{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}"


def gpu_identity_of(node: NodeTruth, index: int) -> tuple[str, int, str]:
    """(name, memory in MiB, VBIOS version) of one GPU, which may be of another model than the type's."""
    if index in node.effects.other_gpus:
        return versions.OTHER_GPU
    return versions.gpu_identity(node.hardware.gpu_model, node.hardware.gpu_memory_mib)


def gpu_serial(node: NodeTruth, index: int) -> str:
    """A 13-digit board serial number."""
    digest = hashlib.sha256(f"{node.instance_id}-serial-{index}".encode()).hexdigest()
    return f"165{int(digest[:12], 16) % 10**10:010d}"


def _efa_bus(hardware: Hardware, index: int) -> int:
    """EFA devices sit in groups of 4 neighbouring buses, two groups a CPU root (seen on p5en: NVIDIA/nccl
    issue 1597).
    """
    start, step = (0x55, 25) if hardware.efa_count <= 16 else (79, 22)
    return start + step * (index // 4) + index % 4


def efa_pci_address(hardware: Hardware, index: int) -> str:
    """E.g. ``0000:55:00.0``."""
    return f"0000:{_efa_bus(hardware, index):02x}:00.0"


def efa_name(hardware: Hardware, index: int) -> str:
    """The kernel's name, made of the bus in decimal, e.g. ``rdmap85s0``."""
    return f"rdmap{_efa_bus(hardware, index)}s0"


def efa_device_id(hardware: Hardware) -> str:
    """The PCI device id; the driver knows 0xefa0 to 0xefa3 (linux drivers/infiniband/hw/efa/efa_main.c)."""
    return f"0xefa{min(max(hardware.efa_generation, 0), 3)}"


def other_rdma_devices(hardware: Hardware) -> tuple[tuple[str, str, str, str], ...]:
    """(name, vendor, device, driver) of RDMA devices that are no EFA: p6-b200 lists two InfiniBand ports of
    its NVSwitches.
    """
    if "B200" not in hardware.gpu_model or hardware.gpus != 8:
        return ()
    return tuple((f"ibp{bus}s0", "0x15b3", "0x1021", "mlx5_core") for bus in (198, 199))
