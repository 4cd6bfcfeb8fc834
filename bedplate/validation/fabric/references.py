"""Partners for suspects: each gets a node of its own that is well; pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from bedplate.validation.fabric.assessment import unexplained_failures
from bedplate.validation.fabric.components import components
from bedplate.validation.fabric.ledger import Ledger, pair_of
from bedplate.validation.fabric.topology import Topology

Group = tuple[str, ...]


def with_references(
    *, suspects: Sequence[str], free: Sequence[str], ledger: Ledger, topology: Topology
) -> list[Group]:
    """One group (suspect, reference) for each suspect that a reference is left for.

    A reference is a cleared node of ``free`` that the suspect was not tried with yet, of its own leaf where
    there is one, and not one that passes with those that the suspect failed with: of two kinds of nodes that
    do not work with each other, both are tried. Once it was tried with all of them, it is the one that it was
    tried with least. Who has failed least with nodes that are well comes first, so that nobody waits while
    others are tested twice.
    """
    if not suspects or not free:
        return []
    pool = _Pool(free, topology)
    everybody = set(free)
    home = components(free, ledger)
    groups: list[Group] = []
    for suspect in sorted(suspects, key=lambda node: len(unexplained_failures(node, ledger))):
        failed_with = Counter(ledger.failed_with.get(suspect, ()))
        met = {home[other] for other in failed_with if other in home}
        partner = _best(pool.nearest(suspect), suspect, met, home, ledger)
        if partner is None and all(pair_of((suspect, other)) in ledger.tried for other in everybody):
            partner = min(pool.nearest(suspect), key=lambda other: failed_with[other], default=None)
        if partner is not None:
            pool.take(partner)
            groups.append((suspect, partner))
    return groups


def _best(
    candidates: Iterator[str], suspect: str, met: Collection[int], home: Mapping[str, int], ledger: Ledger
) -> str | None:
    """The first that the suspect was not tried with and that is tied to nobody it met; else the first that it
    was not tried with.
    """
    second_best = None
    for other in candidates:
        if pair_of((suspect, other)) in ledger.tried:
            continue
        if home[other] not in met:
            return other
        second_best = second_best or other
    return second_best


class _Pool:
    """The references that are left, in order."""

    def __init__(self, free: Sequence[str], topology: Topology) -> None:
        self._topology = topology
        self._free = dict.fromkeys(free)
        self._by_leaf: dict[str, dict[str, None]] = defaultdict(dict)
        for node in free:
            if topology.leaf(node):
                self._by_leaf[topology.leaf(node)][node] = None

    def nearest(self, suspect: str) -> Iterator[str]:
        """Those of the suspect's leaf, then the others."""
        own = self._by_leaf.get(self._topology.leaf(suspect), {})
        yield from own
        yield from (node for node in self._free if node not in own)

    def take(self, node: str) -> None:
        """It is busy in this round."""
        del self._free[node]
        self._by_leaf.get(self._topology.leaf(node), {}).pop(node, None)
