"""What the rounds so far say about each node and each link, by one policy; pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from bedplate.validation.fabric.ledger import Ledger, PairKey
from bedplate.validation.fabric.policy import Policy
from bedplate.validation.fabric.topology import Topology

_UNHEARD_AT_MOST = 2
_LINKS_OF_A_FAULTY_NODE = 3
"""Three bad links that meet in one node are the node: a bad link is rarer than a node that comes and goes."""


@dataclass(frozen=True)
class Assessment:
    """The state of a search. A pair is a sorted tuple of two nodes.

    ``condemned`` nodes have failed often enough; ``silent`` ones were in too many tests that said nothing,
    or can take no further one; ``suspects`` are neither, nor cleared. ``relapsed`` nodes passed once and are
    the meeting point of bad links. ``open_links`` failed or said nothing although both ends are cleared, and
    not often enough to be blamed; ``worth_repeating`` are those of them to try again. ``bad_links`` failed
    often enough; ``transient`` failed, then passed.
    """

    condemned: frozenset[str]
    suspects: tuple[str, ...]
    silent: frozenset[str]
    relapsed: frozenset[str]
    open_links: tuple[PairKey, ...]
    worth_repeating: tuple[PairKey, ...]
    bad_links: tuple[PairKey, ...]
    transient: tuple[PairKey, ...]


def assess(*, nodes: Sequence[str], ledger: Ledger, policy: Policy, topology: Topology) -> Assessment:
    """The state of the search over ``nodes``."""
    uncleared = [node for node in nodes if node not in ledger.cleared]
    condemned = frozenset(node for node in uncleared if _is_condemned(node, nodes, ledger, policy, topology))
    silent = frozenset(
        node
        for node in uncleared
        if node not in condemned
        and (node in ledger.withdrawn or ledger.unheard.get(node, 0) >= _UNHEARD_AT_MOST)
    )
    needed = policy.failures_of_a_link(len(ledger.tested))
    doubted = [
        pair
        for pair in dict.fromkeys((*ledger.streak, *ledger.pair_unheard))
        if ledger.cleared.issuperset(pair)
    ]
    bad = tuple(pair for pair in doubted if ledger.streak.get(pair, 0) >= needed)
    still_open = tuple(pair for pair in doubted if pair not in set(bad))
    return Assessment(
        condemned=condemned,
        suspects=tuple(node for node in uncleared if node not in condemned and node not in silent),
        silent=silent,
        relapsed=_meeting_points(bad),
        open_links=still_open,
        worth_repeating=tuple(pair for pair in still_open if _may_repeat(pair, ledger)),
        bad_links=bad,
        transient=tuple(
            pair
            for pair in ledger.ever_failed
            if pair not in ledger.streak and ledger.cleared.issuperset(pair)
        ),
    )


def unexplained_failures(node: str, ledger: Ledger) -> list[str]:
    """The partners of the node's failed tests that are well themselves."""
    return [partner for partner in ledger.failed_with.get(node, ()) if partner in ledger.cleared]


def _is_condemned(
    node: str, nodes: Sequence[str], ledger: Ledger, policy: Policy, topology: Topology
) -> bool:
    failed_with = ledger.failed_with.get(node, ())
    if len(failed_with) < policy.failures_of_a_node or len(set(failed_with)) < 2:
        return False
    unexplained = unexplained_failures(node, ledger)
    if len(unexplained) < policy.unexplained_failures_of_a_node(len(nodes)):
        return False
    # A node is not blamed for the way out of its leaf while a neighbour could tell.
    beside = [other for other in neighbours(node, nodes, topology) if other in ledger.cleared]
    return not beside or any(topology.same_leaf(node, partner) for partner in failed_with)


def neighbours(node: str, nodes: Sequence[str], topology: Topology) -> list[str]:
    """The other nodes that are known to be under the same leaf."""
    leaf = topology.leaf(node)
    return [other for other in nodes if other != node and topology.leaf(other) == leaf] if leaf else []


def _may_repeat(pair: PairKey, ledger: Ledger) -> bool:
    unheard = ledger.pair_unheard.get(pair, 0) >= _UNHEARD_AT_MOST
    return not unheard and not ledger.withdrawn.intersection(pair)


def _meeting_points(bad_links: Sequence[PairKey]) -> frozenset[str]:
    """Nodes that three or more bad links meet in, each more than any partner of theirs."""
    count = Counter(node for pair in bad_links for node in pair)
    return frozenset(
        node
        for node, links in count.items()
        if links >= _LINKS_OF_A_FAULTY_NODE
        and all(count[other] < links for pair in bad_links if node in pair for other in pair if other != node)
    )
