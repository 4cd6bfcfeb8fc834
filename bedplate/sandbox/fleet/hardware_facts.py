"""The parts of the hardware table that a simulated node is made of."""

from __future__ import annotations

from bedplate.hardware import instance_type as find
from bedplate.sandbox.fleet.truth import Hardware


def read_hardware(instance_type: str, *, role: str) -> Hardware:
    """The parts of the hardware table that the stand-ins print; a login node has no GPU whatever its type.

    Raises ``UnknownInstanceType`` for a compute node whose type the table does not have.
    """
    if role == "login":
        return Hardware()
    row = find(instance_type)
    return Hardware(
        gpus=row.gpus,
        gpu_model=row.gpu.model,
        gpu_memory_mib=row.gpu.memory_mib or 0,
        nvlinks=row.gpu.nvlinks if row.gpus > 1 or row.has_nvswitch else 0,
        efa_count=row.efa_count,
        efa_generation=row.efa_generation or 0,
        efa_gbps_each=row.efa_gbps_each,
        gpudirect=row.has_gpudirect_rdma,
        architecture=row.architecture,
        vcpus=row.vcpus,
        memory_gib=row.memory_gib,
        nvme_count=row.nvme_count,
    )
