"""What a node of a pool offers to pods, and what a job's pod takes of it: quotas, jobs and the gate agree by
this file.

GPUs and EFAs are those of the hardware table in the pool's layout. Cores and memory are what is left by a
reserve of our own choice, larger than what the kubelet and the daemons of the cluster take, so that a pod
that asks for all of it fits: a job that is short by one core waits for ever.
"""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.hardware import InstanceType
from bedplate.hardware.huge_pages import EFA_HUGE_PAGE_KIB, EFA_HUGE_PAGES
from bedplate.node.kubernetes.names import EFA_RESOURCE, GPU_RESOURCE
from bedplate.spec.pool_hardware import pool_hardware
from bedplate.spec.pools import Pool

CPU, MEMORY, HUGE_PAGES = "cpu", "memory", "hugepages-2Mi"
RESOURCES = (GPU_RESOURCE, EFA_RESOURCE, CPU, MEMORY, HUGE_PAGES)
"""All that pods of jobs ask for. Kueue admits no job that asks for what its queue does not cover."""

_CORES_RESERVED_ONE_IN = 16
"""Our choice: a sixteenth of the cores, at least ``_CORES_RESERVED_LEAST``, for kubelet and daemons."""
_CORES_RESERVED_LEAST = 2
_MEMORY_RESERVED_PERCENT = 10
"""Our choice. What Linux sees of the nominal memory is a few percent less; Karpenter counts on 7.5 %."""
LAUNCHER_CORES, LAUNCHER_MEMORY_GIB = 1, 2
"""Our choice: what every node keeps for a pod without GPUs, such as mpirun's, when a job has its GPUs."""


@dataclass(frozen=True, kw_only=True)
class Offer:
    """An amount of each resource. ``huge_pages_mib`` is beside ``memory_gib``, not part of it."""

    gpus: int
    efas: int
    cores: int
    memory_gib: int
    huge_pages_mib: int

    def times(self, nodes: int) -> dict[str, int | str]:
        """The amounts of that many such nodes as Kubernetes writes quantities, by resource."""
        return {
            GPU_RESOURCE: self.gpus * nodes,
            EFA_RESOURCE: self.efas * nodes,
            CPU: self.cores * nodes,
            MEMORY: f"{self.memory_gib * nodes}Gi",
            HUGE_PAGES: f"{self.huge_pages_mib * nodes}Mi",
        }


def node_offer(pool: Pool) -> Offer:
    """What one node of the pool offers."""
    return hardware_offer(pool_hardware(pool))


def hardware_offer(hardware: InstanceType) -> Offer:
    """What one node of this type, in this layout, offers."""
    # The page size of arm64 nodes is not told by any source here; with pages of 4 KiB it is as on x86_64.
    huge_pages_mib = EFA_HUGE_PAGES * EFA_HUGE_PAGE_KIB // 1024 if hardware.efa_count else 0
    usable_gib = hardware.memory_gib * (100 - _MEMORY_RESERVED_PERCENT) // 100
    return Offer(
        gpus=hardware.gpus,
        efas=hardware.efa_count,
        cores=hardware.vcpus - max(_CORES_RESERVED_LEAST, hardware.vcpus // _CORES_RESERVED_ONE_IN),
        memory_gib=usable_gib - -(-huge_pages_mib // 1024),
        huge_pages_mib=huge_pages_mib,
    )


def pod_share(pool: Pool) -> Offer:
    """What a job's pod takes that has a node of the pool to itself: all but a launcher's room."""
    node = node_offer(pool)
    return Offer(
        gpus=node.gpus,
        efas=node.efas,
        cores=node.cores - LAUNCHER_CORES,
        memory_gib=node.memory_gib - LAUNCHER_MEMORY_GIB,
        huge_pages_mib=node.huge_pages_mib,
    )


def resources(share: Offer) -> dict[str, dict[str, int | str]]:
    """A container's ``resources``. Kubernetes takes devices and huge pages only where request and limit are
    one; memory is so too, that the node does not end another's pod for it. Cores have no limit: the kernel
    would throttle a process that is alone on its node.
    """
    wanted = {name: amount for name, amount in share.times(1).items() if amount not in (0, "0Mi")}
    return {
        "requests": wanted,
        "limits": {name: amount for name, amount in wanted.items() if name != CPU},
    }
