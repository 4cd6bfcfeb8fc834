"""What the kernel of a GPU node writes: at boot, and when a GPU has an event."""

from __future__ import annotations

from bedplate.sandbox.fleet import versions
from bedplate.sandbox.fleet.devices import efa_name, efa_pci_address, gpu_pci_address
from bedplate.sandbox.fleet.truth import NodeTruth


def boot_messages(node: NodeTruth) -> list[tuple[float, str]]:
    """(seconds since boot, message) of a healthy boot."""
    hardware = node.hardware
    arch = hardware.architecture
    lines = [
        (0.0, f"Linux version {versions.KERNEL} (buildd@builder) #38~22.04.1-Ubuntu SMP"),
        (0.2, f"DMI: Amazon EC2 {node.instance_type}/, BIOS 1.0 10/16/2017"),
        (1.1, "ena 0000:34:00.0: Elastic Network Adapter (ENA) v2.14.1g"),
    ]
    if hardware.efa_count:
        lines.append((2.0, f"efa: Elastic Fabric Adapter (EFA) v{versions.EFA_DRIVER}"))
    for step, index in enumerate(node.efas):
        name, address = efa_name(hardware, index), efa_pci_address(hardware, index)
        lines.append((2.1 + step / 100, f"infiniband {name}: IB device registered ({address})"))
    if hardware.gpus:
        lines += [
            (4.0, "nvidia: loading out-of-tree module taints kernel."),
            (4.5, f"NVRM: loading NVIDIA UNIX {arch} Kernel Module  {versions.NVIDIA_DRIVER}  Release Build"),
            (6.0, "nvidia-uvm: Loaded the UVM driver, major device number 238."),
        ]
    return lines


_UNKNOWN = "pid='<unknown>', name=<unknown>, "
_PYTHON = "pid=48213, name=python3, "

# Code → what follows "NVRM: Xid (PCI:0000:53:00): CODE, ".
_XID_TEXTS: dict[int, str] = {
    48: f"{_UNKNOWN}DBE (double bit error) ECC Error",
    63: f"{_UNKNOWN}Row Remapper: New row (0x00000001c8ea4100) marked for remapping, reset gpu to activate.",
    64: f"{_UNKNOWN}Row Remapper Error: (0x00000002eebc4100) - All reserved rows for bank are remapped",
    74: f"{_UNKNOWN}NVLink: fatal error detected on link 5(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)",
    79: f"{_UNKNOWN}GPU has fallen off the bus.",
    94: f"{_PYTHON}Contained: CE User Channel (0x9). RST: No, D-RST: No",
    95: f"{_PYTHON}Uncontained: FBHUB. RST: Yes, D-RST: No",
    119: (
        f"{_PYTHON}Timeout after 6s of waiting for RPC response from GPU GSP! "
        "Expected function 76 (GSP_RM_CONTROL) (0x2080a068 0x4)."
    ),
}


def xid_messages(code: int, gpu: int) -> list[str]:
    """The lines that the driver writes for one event on one GPU."""
    address = gpu_pci_address(gpu)
    lines = [f"NVRM: Xid (PCI:{address}): {code}, {_XID_TEXTS[code]}"]
    if code == 79:
        lines += [f"NVRM: GPU {address}.0: GPU has fallen off the bus."]
    return lines
