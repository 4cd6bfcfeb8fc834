"""What a search says about a node, a link, a leaf, and the whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from bedplate.validation.fabric.threshold import Threshold


class NodeState(StrEnum):
    """What the search says about one node."""

    CLEARED = "cleared"
    AT_FAULT = "at fault"
    UNDETERMINED = "undetermined"
    """Tests with it failed, or said nothing, and they do not tell whether it is the node."""
    UNCOMPARED = "uncompared"
    """It was measured, and there is neither a floor nor a peer to compare with."""
    UNTESTED = "untested"


class LinkState(StrEnum):
    """What the search says about a pair of cleared nodes that failed at least once."""

    AT_FAULT = "at fault"
    TRANSIENT = "transient"
    """It failed, and then it passed."""
    UNDETERMINED = "undetermined"


@dataclass(frozen=True)
class NodeFinding:
    """One node. ``best_gb_per_s`` is the best bandwidth of its tests, None where nothing was measured.

    ``confidence`` is the chance that this node is at fault, where its tests failed; ``because`` are those
    tests, one sentence each.
    """

    node: str
    state: NodeState
    best_gb_per_s: float | None
    reason: str
    cause: str | None = None
    evidence: tuple[str, ...] = ()
    confidence: float | None = None
    because: tuple[str, ...] = ()


@dataclass(frozen=True)
class LinkFinding:
    """One pair of nodes, sorted; ``confidence`` is the chance that its state is the right one."""

    nodes: tuple[str, str]
    state: LinkState
    best_gb_per_s: float | None
    evidence: tuple[str, ...] = ()
    confidence: float | None = None
    because: tuple[str, ...] = ()


@dataclass(frozen=True)
class LeafFinding:
    """A leaf at fault (``leaves`` holds one id), or the path between two (two ids); ``nodes`` are those under
    the one, or those of both that failed with each other.
    """

    leaves: tuple[str, ...]
    nodes: tuple[str, ...]
    reason: str
    confidence: float
    because: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Localisation:
    """The end of a search.

    ``configuration`` is set where something that nodes share is wrong, and no node is blamed: no pair passed
    at all, by tests that ran and took in more than half of the nodes, or many pairs fail although each of
    their nodes passes with others (``groups_apart`` then holds the two groups, or the one that works with
    itself only, as far as the tests tell).
    ``no_reference`` is set where more than half of the nodes would have to be blamed, or half of them for the
    same: then none is. ``halves`` holds, for the latter, the half that fails and the other.
    ``not_made`` says, where no test ran at all, why the first one did not.
    ``confidence`` is the chance that it is something shared where nodes or links failed and none of them is
    named; ``because`` are the tests that led there, also those that could be held to nothing.
    """

    threshold: Threshold
    nodes: Mapping[str, NodeFinding]
    links: tuple[LinkFinding, ...]
    configuration: bool
    no_reference: bool
    links_tested: int
    links_total: int
    configuration_cause: str | None = None
    not_made: str = ""
    leaves: tuple[LeafFinding, ...] = ()
    groups_apart: tuple[tuple[str, ...], ...] = ()
    halves: tuple[tuple[str, ...], ...] = ()
    confidence: float | None = None
    because: tuple[str, ...] = ()

    @property
    def nobody_passed(self) -> bool:
        """Whether not one node was in a test that is a pass."""
        good = {NodeState.CLEARED, NodeState.UNCOMPARED}
        return not any(finding.state in good for finding in self.nodes.values())

    def in_state(self, state: NodeState) -> tuple[str, ...]:
        """The nodes in a state, in the order of the search."""
        return tuple(node for node, finding in self.nodes.items() if finding.state is state)

    def links_in_state(self, state: LinkState) -> tuple[LinkFinding, ...]:
        """The links in a state."""
        return tuple(link for link in self.links if link.state is state)
