"""How much proof is asked for before a node, a link or a leaf is blamed.

A test of healthy nodes fails by chance now and then. With ``f`` as that chance, ``r`` failures in a row that
have no other explanation happen to one innocent node with ``f ** r``; among N of them, ``r`` is the smallest
number with N · f ** r at most half of the risk accepted (the links have the other half). A failure beside a
partner that is itself at fault has an explanation, so it does not count.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log, sqrt

_SMALL_CLUSTER = 12
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Policy:
    """The rules of one search.

    ``floor_gb_per_s``: the sourced floor of a pair, None where there is none. ``false_failures``: the chance
    that a test of healthy nodes over healthy links fails, 0 where that cannot happen; ``risk``: the accepted
    chance that a search blames anything wrongly. Both are assumptions about a cluster that nobody has
    measured. ``cover_links``: test every pair once. ``cover_leaves``: test every pair of leaves.
    ``doubt_until_round``: a pair of cleared nodes that failed is tried again up to this round, and is left
    undetermined after it; ``rounds_at_most`` bounds the search, and each round of a coverage adds two: it,
    and one to repeat what failed in it.
    """

    floor_gb_per_s: float | None = None
    false_failures: float = 0.01
    risk: float = 0.01
    cover_links: bool = False
    cover_leaves: bool = False
    doubt_until_round: int = 5
    rounds_at_most: int = 16

    @property
    def noisy(self) -> bool:
        """Whether a test can fail by chance."""
        return self.false_failures > 0

    @property
    def failures_of_a_node(self) -> int:
        """Failed tests, whatever their partners, before a node is blamed: one round more confirms where a
        test can fail by chance.
        """
        return 3 if self.noisy else 2

    def unexplained_failures_of_a_node(self, nodes: int) -> int:
        """Failed tests with partners that are well, before one of ``nodes`` nodes is blamed."""
        return self._in_a_row(nodes) if self.noisy else 1

    def failures_of_a_link(self, pairs: int) -> int:
        """Failed tests in a row before one of ``pairs`` tested pairs is blamed, both its nodes being well."""
        return self._in_a_row(pairs) if self.noisy else 2

    def _in_a_row(self, candidates: int) -> int:
        needed = log(2 * max(candidates, 1) / self.risk) / log(1 / self.false_failures)
        return max(2, ceil(needed - _ROUNDING))

    def pairings_without_a_pass(self, nodes: int) -> int:
        """How many different pairings may all fail before it is called the configuration.

        Bad nodes that sit one in each pair look like a bad configuration; in a small cluster that is likely
        enough to try more.
        """
        return min(nodes - 1, 4) if nodes <= _SMALL_CLUSTER else 2

    def failures_by_chance(self, tests: int) -> float:
        """How many of ``tests`` may fail by chance without being a sign of anything: the mean and four
        standard deviations.
        """
        mean = tests * self.false_failures
        return mean + 4 * sqrt(mean)
