"""How much proof is asked for before a node or a link is blamed."""

from __future__ import annotations

from dataclasses import dataclass

_SMALL_CLUSTER = 12


@dataclass(frozen=True)
class Policy:
    """The rules of one search.

    ``failures_to_condemn``: failed tests in a row, with different partners, before a node is blamed (and of
    the same pair before a link is). ``cover_links``: go on until every pair of cleared nodes was tested.
    ``floor_gb_per_s``: the sourced floor of a pair, None where there is none.
    """

    failures_to_condemn: int = 2
    cover_links: bool = False
    floor_gb_per_s: float | None = None

    def pairings_without_a_pass(self, nodes: int) -> int:
        """How many different pairings may all fail before it is called the configuration.

        Bad nodes that sit one in each pair look like a bad configuration; in a small cluster that is likely
        enough to try more.
        """
        return min(nodes - 1, 4) if nodes <= _SMALL_CLUSTER else 2
