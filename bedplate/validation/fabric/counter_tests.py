"""Tests that could show that it is something else than what the tests so far point at; pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from bedplate.validation.fabric.ledger import Ledger, PairKey, pair_of
from bedplate.validation.fabric.references import Group
from bedplate.validation.fabric.topology import Topology


def disjoint(pairs: Iterable[PairKey], busy: Collection[str]) -> list[Group]:
    """As many of the pairs, in order, as share no node with each other nor with the busy ones."""
    taken = set(busy)
    chosen: list[Group] = []
    for pair in pairs:
        if not taken & set(pair):
            taken |= set(pair)
            chosen.append(pair)
    return chosen


def with_ends_of_bad_links(
    *, blamed: Sequence[str], bad_links: Sequence[PairKey], busy: Collection[str], ledger: Ledger
) -> list[Group]:
    """Each blamed node with an end of a bad link that it has not met, until it has met both ends of one.

    Of two kinds of nodes that do not work with each other a bad link has one of each at its ends: a node
    that is well passes with one of them.
    """
    taken = set(busy)
    groups: list[Group] = []
    for node in blamed:
        if any(all(pair_of((node, end)) in ledger.tried for end in link) for link in bad_links):
            continue
        ends = (end for link in bad_links for end in link)
        partner = next(
            (end for end in ends if end not in taken and pair_of((node, end)) not in ledger.tried), None
        )
        if partner is not None:
            taken |= {node, partner}
            groups.append((node, partner))
    return groups


def beside_crossing_links(
    *,
    crossing: Sequence[PairKey],
    free: Sequence[str],
    busy: Collection[str],
    ledger: Ledger,
    topology: Topology,
) -> list[Group]:
    """For each link in doubt from one leaf to another: other nodes of the two leaves with each other, and of
    either with a third leaf. They tell the link from the path that all nodes of its leaves share.
    """
    taken = set(busy)
    groups: list[Group] = []
    asked = _asked(ledger, topology)
    leaves = topology.leaves([node for node in free if node not in taken])
    for left, right in crossing:
        one, other = topology.leaf(left), topology.leaf(right)
        if not one or not other or one == other:
            continue
        third = [leaf for leaf in leaves if leaf not in (one, other)]
        wanted = [(one, other, 2)] + [(leaf, far, 1) for leaf in (one, other) for far in third[:1]]
        for here, there, enough in wanted:
            if asked.get(frozenset((here, there)), 0) >= enough:
                continue
            pair = _untried(leaves.get(here, ()), leaves.get(there, ()), taken, ledger)
            if pair is not None:
                taken |= set(pair)
                groups.append(pair)
    return groups


def _asked(ledger: Ledger, topology: Topology) -> dict[frozenset[str], int]:
    """Two leaves → how many different pairs between them were tried."""
    found: dict[frozenset[str], int] = {}
    if topology.paths:
        for left, right in ledger.tried:
            key = frozenset((topology.leaf(left), topology.leaf(right)))
            found[key] = found.get(key, 0) + 1
    return found


def _untried(
    here: Sequence[str], there: Sequence[str], taken: Collection[str], ledger: Ledger
) -> PairKey | None:
    for left in here:
        if left not in taken:
            for right in there:
                if right not in taken and pair_of((left, right)) not in ledger.tried:
                    return (left, right)
    return None
