"""What the rounds so far say about each node and each pair by itself, by one policy; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bedplate.validation.fabric.ledger import Ledger, PairKey
from bedplate.validation.fabric.policy import Policy
from bedplate.validation.fabric.topology import Topology

_UNHEARD_AT_MOST = 2


@dataclass(frozen=True)
class Assessment:
    """The state of a search. A pair is a sorted tuple of two nodes.

    ``condemned`` nodes have failed often enough; ``silent`` ones were in too many tests that said nothing,
    or can take no further one; ``suspects`` are neither, nor cleared. ``bad_links`` are pairs of cleared
    nodes that failed often enough in a row; ``open_links`` failed or said nothing, and not often enough.
    """

    condemned: frozenset[str]
    suspects: tuple[str, ...]
    silent: frozenset[str]
    bad_links: tuple[PairKey, ...]
    open_links: tuple[PairKey, ...]


def assess(*, nodes: Sequence[str], ledger: Ledger, policy: Policy, topology: Topology) -> Assessment:
    """The state of the search over ``nodes``."""
    uncleared = [node for node in nodes if node not in ledger.cleared]
    condemned = frozenset(node for node in uncleared if _is_condemned(node, nodes, ledger, policy, topology))
    silent = frozenset(node for node in uncleared if node not in condemned and _is_silent(node, ledger))
    needed = policy.failures_of_a_link(len(ledger.tested))
    doubted = [
        pair
        for pair in dict.fromkeys((*ledger.streak, *ledger.pair_unheard))
        if ledger.cleared.issuperset(pair)
    ]
    return Assessment(
        condemned=condemned,
        suspects=tuple(node for node in uncleared if node not in condemned and node not in silent),
        silent=silent,
        bad_links=tuple(pair for pair in doubted if ledger.streak.get(pair, 0) >= needed),
        open_links=tuple(pair for pair in doubted if ledger.streak.get(pair, 0) < needed),
    )


def unexplained_failures(node: str, ledger: Ledger) -> list[str]:
    """The partners of the node's failed tests that are well themselves."""
    return [partner for partner in ledger.failed_with.get(node, ()) if partner in ledger.cleared]


def may_repeat(pair: PairKey, ledger: Ledger) -> bool:
    """Whether another test of the pair may say something."""
    unheard = ledger.pair_unheard.get(pair, 0) >= _UNHEARD_AT_MOST
    return not unheard and not ledger.withdrawn.intersection(pair)


def _is_silent(node: str, ledger: Ledger) -> bool:
    return node in ledger.withdrawn or ledger.unheard.get(node, 0) >= _UNHEARD_AT_MOST


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
    beside = [other for other in _neighbours(node, nodes, topology) if other in ledger.cleared]
    return not beside or any(topology.same_leaf(node, partner) for partner in failed_with)


def _neighbours(node: str, nodes: Sequence[str], topology: Topology) -> list[str]:
    """The other nodes that are known to be under the same leaf."""
    leaf = topology.leaf(node)
    return [other for other in nodes if other != node and topology.leaf(other) == leaf] if leaf else []
