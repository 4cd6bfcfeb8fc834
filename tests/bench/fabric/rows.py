"""SIMULATED: the rows of the benchmark, those of the table in the project's facts, each with its clusters.

A row draws a cluster of a size from a seed; the same cluster is drawn again for each scheme. What is right to
say of it is known from the cluster itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from tests.bench.fabric.cluster import Cluster
from tests.bench.fabric.ours import NOISY, QUIET, ours
from tests.bench.fabric.peers.all_pairs import circle, sequential
from tests.bench.fabric.peers.domains import domains
from tests.bench.fabric.peers.known_good import known_good
from tests.bench.fabric.peers.pairs_in_sequence import pairs_in_sequence
from tests.bench.fabric.peers.random_pairs import random_pairs
from tests.bench.fabric.told import Scheme

OURS = "Bedplate"
CIRCLE = "all pairs, circle method"
SEQUENTIAL = "all pairs, one after another"
PEERS: Mapping[str, Scheme] = {
    "random pairs once": random_pairs,
    "neighbour pairs, one after another": pairs_in_sequence,
    "pairs, then known-good": known_good,
    "domains, then bisection": domains,
    CIRCLE: circle,
    SEQUENTIAL: sequential,
}
COSTLY = (CIRCLE, SEQUENTIAL)
"""They test every pair, which takes the simulator long."""


@dataclass(frozen=True)
class Row:
    """``draw(size, chance)`` makes a cluster; ``scheme`` is ours with the policy that fits the row.

    ``shared``: it is right to say that no node is to blame. ``target`` says in words what ours must reach.
    """

    id: str
    title: str
    target: str
    draw: Callable[[int, Random], Cluster]
    scheme: Scheme
    shared: bool = False
    peers: tuple[str, ...] = tuple(PEERS)
    least_nodes: int = 4
    most_nodes: int = 4096
    times: int = 1

    @property
    def schemes(self) -> dict[str, Scheme]:
        """Ours, then the peers'."""
        return {OURS: self.scheme, **{name: PEERS[name] for name in self.peers}}


def _some_bad(size: int, chance: Random, **more: float) -> Cluster:
    """Up to a quarter: most are slow, some hang."""
    bad = chance.sample(range(size), chance.randint(0, size // 4))
    slow = {node: chance.uniform(0.2, 0.8) for node in bad if chance.random() < 0.8}
    hanging = frozenset(set(bad) - set(slow))
    return Cluster(size, slow=slow, hanging=hanging, seed=chance.random(), **more)  # type: ignore[arg-type]


def _healthy(size: int, chance: Random) -> Cluster:
    return Cluster(size, seed=chance.random())


def _link(size: int, chance: Random) -> Cluster:
    return Cluster(size, first_link_slow=0.5, seed=chance.random())


def _noise(size: int, chance: Random) -> Cluster:
    return _some_bad(size, chance, false_failures=0.01)


def _silent(size: int, chance: Random) -> Cluster:
    """Up to a quarter hang or leave no whole log."""
    bad = chance.sample(range(size), chance.randint(1, max(size // 4, 1)))
    mute = frozenset(node for node in bad if chance.random() < 0.5)
    return Cluster(size, hanging=frozenset(bad) - mute, mute=mute, seed=chance.random())


def _all_slow(size: int, chance: Random) -> Cluster:
    return Cluster(size, everywhere=0.6, seed=chance.random())


def _majority_bad(size: int, chance: Random) -> Cluster:
    bad = chance.sample(range(size), chance.randint(size // 2 + 1, size - 1))
    return Cluster(size, slow={node: chance.uniform(0.3, 0.8) for node in bad}, seed=chance.random())


def _two_kinds(size: int, chance: Random) -> Cluster:
    other = frozenset(chance.sample(range(size), size // 2))
    return Cluster(size, other_side=other, seed=chance.random())


def _leaf(size: int, chance: Random) -> Cluster:
    """Leaves of a quarter of the nodes and the odd rest, so that the first round crosses leaves."""
    width = max(3, size // 4 | 1)
    return Cluster(size, leaf_size=width, slow_leaves={0: 0.5}, seed=chance.random())


ROWS = (
    Row(
        "bad-nodes",
        "Up to a quarter of the nodes bad, no noise",
        "all and only these; 2 rounds (3 for odd N); N/2 + 2k tests (+1 for odd N)",
        _some_bad,
        ours(QUIET),
    ),
    Row("healthy", "Healthy cluster", "1 round (2 for odd N); nobody blamed", _healthy, ours(NOISY)),
    Row(
        "bad-link",
        "One bad link, hit by the first pairs",
        "link named, both nodes cleared, 3 rounds",
        _link,
        ours(QUIET),
    ),
    Row(
        "coverage",
        "Every link covered, healthy",
        "N − 1 rounds (N for odd N), every pair once",
        _healthy,
        ours(NOISY, cover_links=True),
        peers=COSTLY,
        most_nodes=1024,
    ),
    Row(
        "noise",
        "Up to a quarter bad, and one test in 100 fails by chance",
        "at most 1 % of runs blame wrongly; 5 rounds",
        _noise,
        ours(NOISY),
        times=5,
    ),
    Row(
        "silent",
        "Up to a quarter hang or leave no whole log",
        "never a pass; bounded by rounds × deadline",
        _silent,
        ours(NOISY),
    ),
    Row(
        "all-slow",
        "Every pair 40 % slow",
        "“configuration”, nobody blamed",
        _all_slow,
        ours(NOISY),
        shared=True,
    ),
    Row(
        "majority-bad",
        "More than half of the nodes bad",
        "says that there is no reliable reference",
        _majority_bad,
        ours(NOISY),
        shared=True,
    ),
    Row(
        "two-kinds",
        "Half of the fleet works with its own half only",
        "no innocent node named",
        _two_kinds,
        ours(NOISY, together=True),
        shared=True,
    ),
    Row(
        "leaf",
        "A leaf switch is slow towards all others, topology known",
        "leaf named, nobody blamed",
        _leaf,
        ours(NOISY, cover_leaves=True),
        shared=True,
        peers=(),
        least_nodes=8,
    ),
)
