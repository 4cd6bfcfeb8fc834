"""Links that fail because of the leaf switch that they leave, or of the path between two; pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bedplate.validation.fabric.assessment import Assessment
from bedplate.validation.fabric.ledger import Ledger, PairKey
from bedplate.validation.fabric.topology import Topology

_NODES_OF_A_LEAF = 3
"""As many nodes of one leaf, all at fault, are rather the leaf: three at once are rarer than one switch."""


@dataclass
class _Crossing:
    """Tests between two leaves, of nodes that are well: the pairs that fail now, and whether any passes."""

    failed: list[PairKey] = field(default_factory=list)
    passed: bool = False


@dataclass(frozen=True)
class FaultyLeaf:
    """One leaf, or two with the path between them; ``links`` are the failed pairs that it explains."""

    leaves: tuple[str, ...]
    links: tuple[PairKey, ...]
    blamed_nodes: tuple[str, ...] = ()


def faulty_leaves(
    *, nodes: Sequence[str], ledger: Ledger, state: Assessment, topology: Topology
) -> list[FaultyLeaf]:
    """The leaves at fault.

    A leaf is at fault where all tests out of it failed, two or more of them with different nodes at both
    ends and towards two leaves, while its nodes pass with each other; or where all of its nodes, three or
    more, fail, and others pass. Where tests fail between two leaves only, it is the path between them.
    """
    found = [*_dark(nodes, ledger, state, topology)]
    crossings = _crossings(ledger, topology)
    alone = _alone(crossings)
    found += [FaultyLeaf((leaf,), tuple(links)) for leaf, links in alone.items()]
    for (one, other), crossing in crossings.items():
        if one in alone or other in alone or crossing.passed or not _spread(crossing.failed):
            continue
        found.append(FaultyLeaf((one, other), tuple(crossing.failed)))
    return found


def _dark(
    nodes: Sequence[str], ledger: Ledger, state: Assessment, topology: Topology
) -> Iterable[FaultyLeaf]:
    for leaf, under in topology.leaves(nodes).items():
        if len(under) >= _NODES_OF_A_LEAF and state.condemned.issuperset(under):
            links = tuple(pair for pair in ledger.streak if set(pair) & set(under))
            yield FaultyLeaf((leaf,), links, under)


def _crossings(ledger: Ledger, topology: Topology) -> dict[tuple[str, str], _Crossing]:
    found: dict[tuple[str, str], _Crossing] = defaultdict(_Crossing)
    if not topology.paths:
        return found
    for pair in ledger.tested:
        one, other = topology.leaf(pair[0]), topology.leaf(pair[1])
        if not one or not other or one == other or not ledger.cleared.issuperset(pair):
            continue
        crossing = found[min(one, other), max(one, other)]
        if pair in ledger.streak:
            crossing.failed.append(pair)
        else:
            crossing.passed = True
    return found


def _alone(crossings: dict[tuple[str, str], _Crossing]) -> dict[str, list[PairKey]]:
    """Leaf → its failed pairs, for leaves that no test passes out of, towards two others or more that other
    tests pass into.
    """
    towards: dict[str, list[PairKey]] = defaultdict(list)
    partners: dict[str, set[str]] = defaultdict(set)
    open_leaves = {leaf for leaves, crossing in crossings.items() if crossing.passed for leaf in leaves}
    for (one, other), crossing in crossings.items():
        for leaf, partner in ((one, other), (other, one)):
            if crossing.failed:
                towards[leaf] += crossing.failed
                partners[leaf].add(partner)
    return {
        leaf: links
        for leaf, links in towards.items()
        if leaf not in open_leaves and len(partners[leaf]) > 1 and _spread(links)
    }


def _spread(links: Sequence[PairKey]) -> bool:
    """Whether two of the pairs have no node in common."""
    return any(not set(one) & set(other) for one in links for other in links[:1]) if links else False
