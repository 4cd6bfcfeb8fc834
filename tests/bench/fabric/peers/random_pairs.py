"""Random disjoint pairs once, and both nodes of a slow pair are blamed.

After oci-hpc's daily active check (one random pair, one round), widened to all nodes at once.
"""

from __future__ import annotations

from random import Random

from tests.bench.fabric.cluster import Cluster
from tests.bench.fabric.told import Told, told


def shuffled_pairs(size: int, chance: Random) -> list[tuple[int, int]]:
    """Disjoint pairs; of an odd number of nodes one is left over."""
    nodes = list(range(size))
    chance.shuffle(nodes)
    return list(zip(nodes[0::2], nodes[1::2], strict=False))


def random_pairs(cluster: Cluster, chance: Random) -> Told:
    """One round."""
    pairs = shuffled_pairs(cluster.size, chance)
    blamed = {node for pair in pairs if cluster.fails(pair) for node in pair}
    tested = {node for pair in pairs for node in pair}
    return told(cluster, rounds=1, nodes=blamed, open_nodes=set(range(cluster.size)) - tested)
