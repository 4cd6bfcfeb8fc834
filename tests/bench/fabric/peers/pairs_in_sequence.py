"""gcm's ``pairwise-quick``: neighbours in pairs, one pair after another; a slow pair blames both its nodes.

It takes N / 2 tests, one at a time.
"""

from __future__ import annotations

from random import Random

from tests.bench.fabric.cluster import Cluster
from tests.bench.fabric.told import Told, told


def pairs_in_sequence(cluster: Cluster, _chance: Random) -> Told:
    """As many rounds as there are pairs."""
    pairs = [(node, node + 1) for node in range(0, cluster.size - 1, 2)]
    blamed = {node for pair in pairs if cluster.fails(pair) for node in pair}
    left = {cluster.size - 1} if cluster.size % 2 else set()
    return told(cluster, rounds=len(pairs), nodes=blamed, open_nodes=left)
