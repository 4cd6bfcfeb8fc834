"""Which nodes sit under one leaf switch, as EC2 tells it; pure.

``DescribeInstanceTopology`` gives each instance a list of network nodes from the top down, hashed for the
account; the last one is the switch that the instance hangs on. Two instances with the same last node are
under one leaf, and the longer the common beginning of their lists, the nearer they are (EC2 User Guide,
"Amazon EC2 instance topology").
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bedplate.validation.fabric.tournament import rounds_of, tournament_round

Pair = tuple[str, str]


@dataclass(frozen=True)
class Topology:
    """``paths``: node → its network nodes from the top down; a node that is not there, or whose path is
    empty, is under a leaf that nobody knows.
    """

    paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def leaf(self, node: str) -> str:
        """The leaf's id, empty where it is not known."""
        path = self.paths.get(node, ())
        return path[-1] if path else ""

    def same_leaf(self, left: str, right: str) -> bool:
        """Whether both are known to be under one leaf."""
        return bool(self.leaf(left)) and self.leaf(left) == self.leaf(right)

    def leaves(self, nodes: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Leaf → its nodes, in order; nodes of unknown leaf are left out."""
        found: dict[str, list[str]] = defaultdict(list)
        for node in nodes:
            if self.leaf(node):
                found[self.leaf(node)].append(node)
        return {leaf: tuple(under) for leaf, under in found.items()}

    def in_order(self, nodes: Sequence[str]) -> tuple[str, ...]:
        """The nodes so that neighbours 2i and 2i + 1 are under one leaf wherever that can be.

        Of each leaf an even number stands first; the one left over of each stands behind, near ones together.
        """
        order = {node: place for place, node in enumerate(nodes)}
        paired: list[str] = []
        alone: list[str] = []
        for under in self.leaves(nodes).values():
            even = len(under) // 2 * 2
            paired += under[:even]
            alone += under[even:]
        alone.sort(key=lambda node: (self.paths[node], order[node]))
        return (*paired, *alone, *(node for node in nodes if not self.leaf(node)))


def leaf_rounds(topology: Topology, nodes: Sequence[str]) -> int:
    """How many rounds cover every pair of leaves: one less than there are leaves, as many where odd."""
    return rounds_of(len(topology.leaves(nodes)))


def leaf_round(topology: Topology, nodes: Sequence[str], turn: int) -> tuple[Pair, ...]:
    """One of those rounds, counted from 0: each leaf meets another, with as many pairs as the smaller has."""
    leaves = topology.leaves(nodes)
    meetings = tournament_round(list(leaves), turn)
    return tuple(pair for one, other in meetings for pair in zip(leaves[one], leaves[other], strict=False))
