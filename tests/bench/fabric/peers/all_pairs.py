"""All pairs of nodes: SuperBench by the circle method, all pairs of a round at once; gcm one after another.

Neither names a node by itself. Here the rule that favours them is applied to what they measure: a node is
blamed that fails with at least half of its partners, nobody is where that would be more than half of the
nodes, and a pair that fails beside that is a bad link.
"""

from __future__ import annotations

from collections import Counter
from random import Random

from bedplate.validation.fabric.tournament import rounds_of, tournament_round
from tests.bench.fabric.cluster import Cluster
from tests.bench.fabric.told import Told, told


def circle(cluster: Cluster, _chance: Random) -> Told:
    """N - 1 rounds, N where odd."""
    return _judged(cluster, rounds_of(cluster.size))


def sequential(cluster: Cluster, _chance: Random) -> Told:
    """N (N - 1) / 2 rounds of one test each; the order of the tests changes nothing."""
    return _judged(cluster, cluster.size * (cluster.size - 1) // 2)


def _judged(cluster: Cluster, rounds: int) -> Told:
    nodes = range(cluster.size)
    failed = [
        (min(pair), max(pair))
        for turn in range(rounds_of(cluster.size))
        for pair in tournament_round(nodes, turn)
        if cluster.fails(pair)
    ]
    count = Counter(node for pair in failed for node in pair)
    blamed = {node for node, times in count.items() if 2 * times >= cluster.size - 1}
    if 2 * len(blamed) > cluster.size:
        return told(cluster, rounds=rounds, shared=True)
    links = [pair for pair in failed if not blamed.intersection(pair)]
    return told(cluster, rounds=rounds, nodes=blamed, links=links)
