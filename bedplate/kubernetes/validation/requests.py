"""What a pod asks of its node, and what that node has: by the hardware table, never by what is offered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bedplate.hardware import InstanceType
from bedplate.node.kubernetes.names import EFA_RESOURCE, GPU_RESOURCE

HUGEPAGES = "hugepages-2Mi"
HUGEPAGES_AMOUNT = "5120Mi"
"""AWS's samples ask for so much beside EFAs, of the 5,128 pages of 2 MiB that a node sets aside."""


@dataclass(frozen=True)
class WholeNode:
    """All GPUs and EFAs of a node."""

    gpus: int
    efas: int

    @property
    def resources(self) -> dict[str, str]:
        """As ``limits``; extended resources are requested as they are limited."""
        wanted = {GPU_RESOURCE: self.gpus, EFA_RESOURCE: self.efas}
        return {name: str(count) for name, count in wanted.items() if count}

    def lacking(self, allocatable: Mapping[str, str]) -> str:
        """What the node does not offer of it, in words; empty where it offers exactly that."""
        told = []
        for name, count in ((GPU_RESOURCE, self.gpus), (EFA_RESOURCE, self.efas)):
            offered = allocatable.get(name, "0")
            if offered != str(count):
                told.append(f"it offers {offered} {name}, its type has {count}")
        return "; ".join(told)


def whole_node(hardware: InstanceType) -> WholeNode:
    """Of a type."""
    return WholeNode(hardware.gpus, hardware.efa_count)
