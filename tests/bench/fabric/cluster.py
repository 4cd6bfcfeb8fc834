"""SIMULATED: a cluster for searches to be tried on. No hardware was measured; numbers are invented.

Nodes are slow, hang, or say nothing by decree; a search sees only what a test of a group of them shows. Ours
and the peers' schemes run on the same cluster: ours sees an ``Observation``, theirs whether a group failed.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from bedplate.validation.fabric.observation import Ended, Observation
from bedplate.validation.fabric.topology import Topology

HEALTHY_GB_PER_S = 370.0
FLOOR_GB_PER_S = 0.9 * HEALTHY_GB_PER_S


def name_of(index: int) -> str:
    """A node's name."""
    return f"n{index:04}"


@dataclass
class Cluster:
    """What is true and hidden; nodes are indices from 0.

    ``slow`` and ``slow_links`` hold factors of the healthy rate; ``once`` are pairs whose next test is slow.
    ``hanging`` nodes never finish; ``mute`` ones leave no log. ``other_side`` nodes work with each other, and
    the rest does, and no node with one of the other side. Leaves have ``leaf_size`` nodes each, 0 for no
    leaves; ``slow_leaves`` are slow towards every other leaf, ``slow_leaf_paths`` towards one. ``spread`` is
    the healthy run-to-run spread, ``false_failures`` a rate per test. ``first_link_slow``: whichever pair is
    tested first has a slow link.
    """

    size: int
    slow: dict[int, float] = field(default_factory=dict)
    hanging: frozenset[int] = frozenset()
    mute: frozenset[int] = frozenset()
    slow_links: dict[tuple[int, int], float] = field(default_factory=dict)
    once: set[tuple[int, int]] = field(default_factory=set)
    other_side: frozenset[int] = frozenset()
    leaf_size: int = 0
    slow_leaves: dict[int, float] = field(default_factory=dict)
    slow_leaf_paths: dict[tuple[int, int], float] = field(default_factory=dict)
    everywhere: float = 1.0
    spread: float = 0.01
    false_failures: float = 0.0
    first_link_slow: float = 1.0
    seed: int | str = 0
    tests: int = 0

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.nodes = [name_of(number) for number in range(self.size)]
        self.bad = frozenset({node for node, rate in self.slow.items() if rate < 1} | self.hanging)

    @property
    def topology(self) -> Topology:
        """Where each node sits, as EC2 would tell it."""
        if not self.leaf_size:
            return Topology()
        return Topology(
            {name: ("spine", f"leaf-{node // self.leaf_size:03}") for node, name in enumerate(self.nodes)}
        )

    def test(self, group: tuple[str, ...]) -> Observation:
        """What one test of named nodes shows."""
        rate = self.rate([int(node[1:]) for node in group])
        if rate is None:
            return Observation(group, Ended.UNKNOWN, detail="no log")
        if rate == 0:
            return Observation(
                group, Ended.BROKEN, cause="collective-hang", detail="it ran past its deadline"
            )
        return Observation(group, Ended.MEASURED, rate)

    def fails(self, group: Sequence[int]) -> bool:
        """Whether a group is below the floor, hangs or says nothing: what a peer's scheme asks."""
        rate = self.rate(group)
        return rate is None or rate < FLOOR_GB_PER_S

    def rate(self, group: Sequence[int]) -> float | None:
        """What a test reaches in GB/s: 0 where it breaks, None where it says nothing."""
        self.tests += 1
        if self.first_link_slow < 1 and self.tests == 1:
            left, right = sorted(group[:2])
            self.slow_links[left, right] = self.first_link_slow
        if not self.mute.isdisjoint(group):
            return None
        if not self.hanging.isdisjoint(group) or (
            self.false_failures and self.random.random() < self.false_failures
        ):
            return 0.0
        factor = min((self.slow.get(node, 1.0) for node in group), default=1.0)
        if self._has_links:
            factor = min(factor, self._slowest_link(group))
        wobble = 1 + self.spread * (2 * self.random.random() - 1)
        return HEALTHY_GB_PER_S * self.everywhere * wobble * factor

    @property
    def _has_links(self) -> bool:
        return bool(
            self.slow_links or self.once or self.other_side or self.slow_leaves or self.slow_leaf_paths
        )

    def _slowest_link(self, group: Sequence[int]) -> float:
        """Every pair of a group is taken for a link of it, which favours schemes of large groups."""
        ordered = sorted(group)
        links = (
            self._link(left, right) for place, left in enumerate(ordered) for right in ordered[place + 1 :]
        )
        return min(links, default=1.0)

    def _link(self, left: int, right: int) -> float:
        if (left, right) in self.once:
            self.once.discard((left, right))
            return 0.5
        if (left in self.other_side) != (right in self.other_side):
            return 0.2
        rate = self.slow_links.get((left, right), 1.0)
        if self.leaf_size and left // self.leaf_size != right // self.leaf_size:
            one, other = left // self.leaf_size, right // self.leaf_size
            ways = (self.slow_leaves.get(one, 1.0), self.slow_leaves.get(other, 1.0))
            rate = min(rate, *ways, self.slow_leaf_paths.get((one, other), 1.0))
        return rate
