"""Google's cluster-health-scanner: random pairs, then each node of a bad pair with a random node that passed.

Two passes, and who fails twice is blamed; nothing confirms it, and no pair is tried again. There is no second
pass where nobody passed. A node without a partner is taken into the second pass here, and suspects for whom
no passed node is left into a third, which both favour it.
"""

from __future__ import annotations

from random import Random

from tests.bench.fabric.cluster import Cluster
from tests.bench.fabric.peers.random_pairs import shuffled_pairs
from tests.bench.fabric.told import Told, told


def known_good(cluster: Cluster, chance: Random) -> Told:
    """Two rounds, more only where more nodes are suspects than passed."""
    pairs = shuffled_pairs(cluster.size, chance)
    failed = [pair for pair in pairs if cluster.fails(pair)]
    suspects = sorted({node for pair in failed for node in pair})
    paired = {node for pair in pairs for node in pair}
    passed = sorted(paired - set(suspects))
    suspects += sorted(set(range(cluster.size)) - paired)
    if not suspects:
        return told(cluster, rounds=1)
    if not passed:
        return told(cluster, rounds=1, open_nodes=suspects)
    blamed, rounds = set(), 1
    while suspects:
        rounds += 1
        references = chance.sample(passed, min(len(suspects), len(passed)))
        now, suspects = suspects[: len(references)], suspects[len(references) :]
        blamed |= {node for node, good in zip(now, references, strict=True) if cluster.fails((node, good))}
    return told(cluster, rounds=rounds, nodes=blamed)
