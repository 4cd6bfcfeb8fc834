"""How near nodes are to each other, as Kueue is told: ``Topology`` documents, one for each set of labels.

Every node of a flavor has to have all labels of its topology, so that types with three and with four network
layers have one each (Kueue, "Topology Aware Scheduling").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bedplate.spec.pool_hardware import pool_hardware
from bedplate.spec.pools import Pool

HOSTNAME_LABEL = "kubernetes.io/hostname"
CLIQUE_LABEL = "nvidia.com/gpu.clique"
"""The NVLink domain of a GB200 node, as NVIDIA's software labels it."""
_LAYER_LABEL = "topology.k8s.aws/network-node-layer-"
"""Set by AWS's cloud controller; layer 1 is the top."""
_FOUR_LAYERS = ("p6-b200", "p6-b300")
"""Families whose nodes have a fourth label."""


@dataclass(frozen=True, kw_only=True)
class Levels:
    """Labels from the widest to the node itself, and the name of their ``Topology``."""

    name: str
    labels: tuple[str, ...]

    @property
    def nearest(self) -> str:
        """The label of the smallest group of several nodes: one leaf switch, or one NVLink domain."""
        return self.labels[-2]


THREE = Levels(
    name="bedplate-three-layers", labels=(*(f"{_LAYER_LABEL}{n}" for n in (1, 2, 3)), HOSTNAME_LABEL)
)
FOUR = Levels(
    name="bedplate-four-layers", labels=(*(f"{_LAYER_LABEL}{n}" for n in (1, 2, 3, 4)), HOSTNAME_LABEL)
)
# Without the network's layers: no source says which of them nodes in the Local Zone of GB200 have, and a
# node that lacks one label of its topology takes no job.
NVLINK = Levels(name="bedplate-nvlink-domain", labels=(CLIQUE_LABEL, HOSTNAME_LABEL))


def levels_of(pool: Pool) -> Levels:
    """The levels that the pool's nodes have labels for."""
    hardware = pool_hardware(pool)
    if hardware.needs_imex:
        return NVLINK
    return FOUR if hardware.family in _FOUR_LAYERS else THREE


def topologies(pools: Sequence[Pool]) -> list[dict[str, Any]]:
    """The ``Topology`` documents that these pools need."""
    needed = dict.fromkeys(levels_of(pool) for pool in pools)
    return [
        {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "Topology",
            "metadata": {"name": each.name},
            "spec": {"levels": [{"nodeLabel": label} for label in each.labels]},
        }
        for each in needed
    ]
