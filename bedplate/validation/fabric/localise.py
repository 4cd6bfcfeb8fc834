"""From the rounds to what is at fault: a node, a link, the configuration, a passing trouble, or nothing
that can be named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from bedplate.validation.fabric.assessment import Assessment, assess, observations_of, passed
from bedplate.validation.fabric.observation import History, Observation
from bedplate.validation.fabric.policy import Policy
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
    """One node. ``best_gb_per_s`` is the best bandwidth of its tests, None where nothing was measured."""

    node: str
    state: NodeState
    best_gb_per_s: float | None
    reason: str
    cause: str | None = None
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class LinkFinding:
    """One pair of nodes, sorted."""

    nodes: tuple[str, str]
    state: LinkState
    best_gb_per_s: float | None
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Localisation:
    """The end of a search.

    ``configuration`` is set where no pair passed at all, by tests that ran and took in more than half of
    the nodes: something that all nodes share is wrong, and no node is blamed. ``no_reference`` is set where
    more than half of the nodes would have to be blamed: then none is. ``not_made`` says, where no test ran
    at all, why the first one did not.
    """

    threshold: Threshold
    nodes: Mapping[str, NodeFinding]
    links: tuple[LinkFinding, ...]
    configuration: bool
    no_reference: bool
    links_tested: int
    links_total: int
    configuration_cause: str | None = field(default=None)
    not_made: str = ""

    @property
    def nobody_passed(self) -> bool:
        """Whether not one node was in a test that is a pass."""
        good = {NodeState.CLEARED, NodeState.UNCOMPARED}
        return not any(finding.state in good for finding in self.nodes.values())

    def in_state(self, state: NodeState) -> tuple[str, ...]:
        """The nodes in a state, in the order of the search."""
        return tuple(node for node, finding in self.nodes.items() if finding.state is state)


def localise(*, nodes: Sequence[str], history: History, policy: Policy) -> Localisation:
    """What the rounds say. Blames nobody where nobody passed, nor more than half of the nodes, nor by a test
    that did not run.
    """
    state = assess(nodes=nodes, history=history, policy=policy)
    seen = list(observations_of(history))
    ran = [one for one in seen if one.ran]
    heard = {node for one in ran for node in one.group}
    configuration = not state.cleared and len(heard) > 2 and 2 * len(heard) > len(nodes)
    no_reference = 2 * len(state.condemned) > len(nodes)
    findings = {
        node: _node(node, state, seen, configuration=configuration, no_reference=no_reference)
        for node in nodes
    }
    return Localisation(
        threshold=state.threshold,
        nodes=findings,
        links=tuple(_links(state, seen)),
        configuration=configuration,
        no_reference=no_reference,
        links_tested=len(state.tested_pairs),
        links_total=len(nodes) * (len(nodes) - 1) // 2,
        configuration_cause=_shared_cause(ran) if configuration else None,
        not_made="" if ran or not seen else _first_detail(seen),
    )


def _node(
    node: str, state: Assessment, seen: Sequence[Observation], *, configuration: bool, no_reference: bool
) -> NodeFinding:
    tests = [one for one in seen if node in one.group]
    failed = [one for one in tests if not passed(one, state.threshold)]
    best = max((one.busbw_gb_per_s for one in tests if one.busbw_gb_per_s is not None), default=None)
    evidence = tuple(name for one in (failed or tests) for name in one.evidence)
    verdict, reason, cause = NodeState.UNTESTED, "it was in no test", None
    if tests:
        verdict, reason, cause = _judge(
            node, state, tests, configuration=configuration, no_reference=no_reference
        )
    return NodeFinding(node, verdict, best, reason, cause, evidence)


def _judge(
    node: str, state: Assessment, tests: Sequence[Observation], *, configuration: bool, no_reference: bool
) -> tuple[NodeState, str, str | None]:
    failed = [one for one in tests if one.ran and not passed(one, state.threshold)]
    if node in state.cleared:
        if state.threshold.value_gb_per_s is None:
            return NodeState.UNCOMPARED, state.threshold.source, None
        return NodeState.CLEARED, "a test with it passed", None
    if not failed or node in state.silent:
        unheard = [one for one in tests if not one.ran]
        return NodeState.UNDETERMINED, f"its tests could not be made: {_first_detail(unheard)}", None
    if configuration:
        return NodeState.UNDETERMINED, "no pair passed: something that all nodes share is wrong", None
    if node in state.condemned and no_reference:
        return (
            NodeState.UNDETERMINED,
            "more than half of the nodes fail: there is no reliable reference",
            None,
        )
    if node in state.condemned:
        with_good = [one for one in failed if set(one.group) & state.cleared]
        partners = len(set(state.failed_with[node]))
        return (
            NodeState.AT_FAULT,
            f"it failed with {partners} partners, one that passed among them",
            _cause(with_good),
        )
    if not state.cleared:
        return NodeState.UNDETERMINED, "it is this node, its only partner, or the link between them", None
    return NodeState.UNDETERMINED, "too few tests with a node that passed", None


def _cause(failed: Sequence[Observation]) -> str | None:
    """What the failed tests with good partners name; None where they were merely slow."""
    named = [one.cause for one in failed if one.cause]
    return named[-1] if named else None


def _shared_cause(seen: Sequence[Observation]) -> str | None:
    """The cause that every test names, if they name one and the same."""
    causes = {one.cause for one in seen}
    return causes.pop() if len(causes) == 1 else None


def _first_detail(unheard: Sequence[Observation]) -> str:
    return next((one.detail for one in unheard if one.detail), "no reason was given")


def _links(state: Assessment, seen: Sequence[Observation]) -> list[LinkFinding]:
    findings = []
    for pairs, verdict in (
        (state.bad_links, LinkState.AT_FAULT),
        (state.open_links, LinkState.UNDETERMINED),
        (state.transient, LinkState.TRANSIENT),
    ):
        for pair in pairs:
            tests = [one for one in seen if tuple(sorted(one.group)) == pair]
            failed = [one for one in tests if not passed(one, state.threshold)]
            best = max((one.busbw_gb_per_s for one in failed if one.busbw_gb_per_s is not None), default=None)
            evidence = tuple(name for one in failed for name in one.evidence)
            findings.append(LinkFinding((pair[0], pair[1]), verdict, best, evidence))
    return findings
