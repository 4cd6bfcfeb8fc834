"""Many pairs that fail although each node passes with others: no node and no link is at fault, but what two
groups of nodes do not share; pure.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from bedplate.validation.fabric.assessment import Assessment
from bedplate.validation.fabric.ledger import Ledger, PairKey
from bedplate.validation.fabric.policy import Policy

_FEWEST = 4


def many_links_in_doubt(*, state: Assessment, ledger: Ledger, policy: Policy) -> bool:
    """Whether more pairs of cleared nodes fail than chance, and bad links that are rare, explain."""
    doubted = scattered(state)
    return len(doubted) >= _FEWEST + policy.failures_by_chance(len(ledger.tested))


def scattered(state: Assessment) -> list[PairKey]:
    """The pairs in doubt or bad that no single node explains by being in half of them."""
    doubted = [*state.bad_links, *state.open_links]
    count = Counter(node for pair in doubted for node in pair)
    hubs = {node for node, links in count.items() if links > 2 and 2 * links >= len(doubted)}
    return [pair for pair in doubted if not hubs & set(pair)]


def groups_apart(*, nodes: Sequence[str], ledger: Ledger, apart: Sequence[PairKey]) -> list[tuple[str, ...]]:
    """The two groups, larger first, where each passing pair is inside one and each of ``apart`` between
    them; empty where the tests do not divide the nodes so. Only nodes that ``apart`` reaches are told.
    """
    same, other = defaultdict(set), defaultdict(set)
    failed = set(apart)
    for left, right in ledger.tested:
        if (left, right) in failed:
            other[left].add(right)
            other[right].add(left)
        elif (left, right) not in ledger.streak:
            same[left].add(right)
            same[right].add(left)
    side: dict[str, bool] = {}
    components: list[dict[str, bool]] = []
    for start in nodes:
        if start in side or start not in other:
            continue
        component = {start: True}
        waiting = [start]
        while waiting:
            node = waiting.pop()
            for reached, value in (
                *((one, component[node]) for one in same[node]),
                *((one, not component[node]) for one in other[node]),
            ):
                if component.setdefault(reached, value) is not value:
                    return []
                if reached not in side:
                    side[reached] = value
                    waiting.append(reached)
        components.append(component)
    if len(components) != 1:
        return []
    one = tuple(node for node in nodes if components[0].get(node) is True)
    two = tuple(node for node in nodes if components[0].get(node) is False)
    return sorted((one, two), key=len, reverse=True)
