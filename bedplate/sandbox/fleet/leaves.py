"""Which leaf switch a simulated node stands under; the stand-in of EC2 and the faults of a leaf agree here.

Four nodes a leaf is invented: AWS publishes no number. Network node ids have EC2's shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

NODES_A_LEAF = 4


def leaf_of(place: int) -> int:
    """The leaf of the node that is at ``place`` among the compute nodes, in the order of their addresses."""
    return place // NODES_A_LEAF


def network_nodes(place: int) -> tuple[str, str, str]:
    """The network nodes above it from the top down, as DescribeInstanceTopology tells them."""
    return _id("spine"), _id("aisle-0"), _id(f"leaf-{leaf_of(place)}")


def beyond_the_leaf(leaf: int, instances: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Each instance under the leaf → all instances that are not; empty where either are fewer than two, since
    then the leaf and a node look alike. Leaves are counted around: any number is one of those that there are.
    """
    leaves = leaf_of(len(instances) - 1) + 1
    under = [one for place, one in enumerate(instances) if leaf_of(place) == leaf % leaves]
    far = tuple(one for place, one in enumerate(instances) if leaf_of(place) != leaf % leaves)
    return dict.fromkeys(under, far) if min(len(under), len(far)) > 1 else {}


def _id(name: str) -> str:
    return f"nn-{sha256(f'bedplate-{name}'.encode()).hexdigest()[:17]}"
