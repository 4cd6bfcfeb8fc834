"""The parts of the hardware table that a simulated node is made of."""

from __future__ import annotations

from bedplate.hardware import instance_type as find
from bedplate.sandbox.fleet.truth import Hardware


def read_hardware(instance_type: str, *, role: str, efa_count: int | None = None) -> Hardware:
    """The parts of the hardware table that the stand-ins print; a login node has no GPU whatever its type.

    ``efa_count`` is how many EFAs the launch attached, None for the type's usual number. Raises
    ``UnknownInstanceType`` for a compute node whose type the table does not have.
    """
    if role == "login":
        return Hardware()
    row = find(instance_type)
    efas = row.efa_count if efa_count is None else efa_count
    gbps = [layout.efa_gbps_each for layout in row.layouts if layout.efa_count == efas]
    return Hardware(
        gpus=row.gpus,
        gpu_model=row.gpu.model,
        gpu_memory_mib=row.gpu.memory_mib or 0,
        nvlinks=row.gpu.nvlinks if row.gpus > 1 or row.has_nvswitch else 0,
        efa_count=efas,
        efa_generation=row.efa_generation or 0,
        efa_gbps_each=gbps[0] if gbps else row.efa_gbps_each,
        gpudirect=row.has_gpudirect_rdma,
        architecture=row.architecture,
        vcpus=row.vcpus,
        memory_gib=row.memory_gib,
        nvme_count=row.nvme_count,
        nvswitch=row.has_nvswitch,
        imex=row.needs_imex,
    )
