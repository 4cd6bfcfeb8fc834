"""What explains the pairs that fail although both of their nodes are cleared; pure.

In this order: a leaf switch, two groups of nodes that do not work with each other, a node that comes and
goes. What is left is about links: bad ones, ones in doubt, and troubles that have passed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from bedplate.validation.fabric.assessment import Assessment, may_repeat
from bedplate.validation.fabric.leaves import FaultyLeaf, faulty_leaves
from bedplate.validation.fabric.ledger import Ledger, PairKey
from bedplate.validation.fabric.policy import Policy
from bedplate.validation.fabric.split import failures_between_groups
from bedplate.validation.fabric.topology import Topology

_LINKS_OF_A_FAULTY_NODE = 3
"""Three bad links that meet in one node are the node: a bad link is rarer than a node that comes and goes."""


@dataclass(frozen=True)
class Explanation:
    """``between_groups`` are the failed pairs of two groups that do not work with each other. ``relapsed``
    nodes passed once and are where bad links meet. ``bad_links`` and ``open_links`` are those that nothing
    else explains; ``worth_repeating`` are the open ones of which another test may say something.
    """

    leaves: tuple[FaultyLeaf, ...]
    between_groups: tuple[PairKey, ...]
    relapsed: frozenset[str]
    bad_links: tuple[PairKey, ...]
    open_links: tuple[PairKey, ...]
    worth_repeating: tuple[PairKey, ...]


def explain(
    *, nodes: Sequence[str], state: Assessment, ledger: Ledger, policy: Policy, topology: Topology
) -> Explanation:
    """What lies behind the links in doubt of an assessment."""
    leaves = faulty_leaves(nodes=nodes, ledger=ledger, state=state, topology=topology)
    explained = {pair for leaf in leaves for pair in leaf.links}
    between = failures_between_groups(
        nodes=nodes, state=state, explained=explained, ledger=ledger, policy=policy
    )
    explained.update(between)
    bad = [pair for pair in state.bad_links if pair not in explained]
    relapsed = frozenset() if between else _meeting_points(bad)
    left = [pair for pair in state.open_links if pair not in explained and not relapsed & set(pair)]
    return Explanation(
        leaves=tuple(leaves),
        between_groups=between,
        relapsed=relapsed,
        bad_links=tuple(pair for pair in bad if not relapsed & set(pair)),
        open_links=tuple(left),
        worth_repeating=tuple(pair for pair in left if may_repeat(pair, ledger)),
    )


def _meeting_points(bad_links: Sequence[PairKey]) -> frozenset[str]:
    """Nodes that three or more bad links meet in, each more than any partner of theirs."""
    count = Counter(node for pair in bad_links for node in pair)
    partners_most: dict[str, int] = {}
    for left, right in bad_links:
        partners_most[left] = max(partners_most.get(left, 0), count[right])
        partners_most[right] = max(partners_most.get(right, 0), count[left])
    return frozenset(
        node
        for node, links in count.items()
        if links >= _LINKS_OF_A_FAULTY_NODE and links > partners_most[node]
    )
