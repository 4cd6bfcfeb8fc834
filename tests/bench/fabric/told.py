"""SIMULATED: what a scheme says at its end, and what is right to say of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random

from tests.bench.fabric.cluster import Cluster

Pair = tuple[int, int]


@dataclass(frozen=True)
class Told:
    """One scheme's answer. ``nodes`` and ``links`` are blamed; ``open_nodes`` are neither blamed nor passed.
    ``shared``: it says that no node is to blame, but a setting, or that there is no reference.
    """

    rounds: int
    tests: int
    nodes: frozenset[int] = frozenset()
    links: frozenset[Pair] = frozenset()
    open_nodes: frozenset[int] = frozenset()
    shared: bool = False


Scheme = Callable[[Cluster, Random], Told]
"""Runs on a cluster, drawing by chance where it must, to its end."""


def told(
    cluster: Cluster,
    *,
    rounds: int,
    nodes: Iterable[int] = (),
    links: Iterable[Pair] = (),
    open_nodes: Iterable[int] = (),
    shared: bool = False,
) -> Told:
    """An answer, with the tests that the cluster has counted."""
    return Told(rounds, cluster.tests, frozenset(nodes), frozenset(links), frozenset(open_nodes), shared)
