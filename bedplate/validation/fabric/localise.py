"""From the rounds to what is at fault: a node, a link, a leaf, the configuration, a passing trouble, or
nothing that can be named.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from bedplate.validation.fabric import confidence
from bedplate.validation.fabric.assessment import Assessment, unexplained_failures
from bedplate.validation.fabric.explanation import Explanation
from bedplate.validation.fabric.finding import (
    LeafFinding,
    LinkFinding,
    LinkState,
    Localisation,
    NodeFinding,
    NodeState,
)
from bedplate.validation.fabric.leaves import FaultyLeaf
from bedplate.validation.fabric.ledger import Ledger, PairKey, pair_of, passed
from bedplate.validation.fabric.observation import Ended, Observation
from bedplate.validation.fabric.plan import Planner
from bedplate.validation.fabric.split import two_groups
from bedplate.validation.fabric.threshold import Threshold

_SENTENCES = 8
_FEWEST_ALIKE = 2
Key = TypeVar("Key")


@dataclass(frozen=True)
class _Test:
    """One test, and the round that it was made in."""

    round_number: int
    seen: Observation


@dataclass(frozen=True)
class _Case:
    """All that a finding is drawn from."""

    planner: Planner
    state: Assessment
    of_node: Mapping[str, Sequence[_Test]]
    of_pair: Mapping[PairKey, Sequence[_Test]]
    heard: frozenset[str]
    why: Explanation
    nobody_passed: bool

    @property
    def ledger(self) -> Ledger:
        """The books."""
        return self.planner.ledger

    @property
    def false_failures(self) -> float:
        """The policy's."""
        return self.planner.policy.false_failures

    @cached_property
    def no_reference(self) -> bool:
        """Whether more than half of the nodes fail, or half of them alike: those that pass are too few to be
        what the others are held to.
        """
        twice = 2 * len(self.failing)
        return not self.nobody_passed and (twice > len(self.planner.nodes) or bool(self.halves))

    @property
    def failing(self) -> tuple[str, ...]:
        """The nodes that failed and never passed."""
        ledger = self.ledger
        return tuple(
            node for node in self.planner.nodes if node not in ledger.cleared and ledger.failed_with.get(node)
        )

    @cached_property
    def halves(self) -> tuple[tuple[str, ...], ...]:
        """The half that fails alike and the other one, where there is no majority; else empty. So many faults
        of one kind in single nodes are rarer than one setting.
        """
        failing, nodes = self.failing, self.planner.nodes
        if self.nobody_passed or len(failing) < _FEWEST_ALIKE or 2 * len(failing) != len(nodes):
            return ()
        causes = {_cause_with_good_partners(node, self) for node in failing}
        if len(causes) > 1:
            return ()
        return failing, tuple(node for node in nodes if node not in failing)

    @cached_property
    def shared(self) -> float | None:
        """How sure it is that something is wrong which nodes share; None where nothing points at it."""
        ledger, heard, nodes = self.ledger, len(self.heard), len(self.planner.nodes)
        if self.nobody_passed:
            total = nodes * (nodes - 1) // 2
            return confidence.of_configuration(nodes=heard, all_pairs_tried=len(ledger.tested) == total)
        if self.why.between_groups:
            return confidence.of_groups_apart(links=len(self.why.between_groups))
        if self.no_reference and ledger.cleared:
            return confidence.of_setting_of_many(alike=len(self.failing), nodes=nodes)
        if ledger.cleared or not heard:
            return None
        if heard > 2:
            return confidence.of_configuration(nodes=heard, all_pairs_tried=False)
        return confidence.of_what_two_share(
            failures=sum(ledger.streak.values()), false_failures=self.false_failures
        )

    def of_one(self, alone: float, *, shared: float | None = None) -> float:
        """How sure it is of one node by itself, beside what is shared."""
        by = self.shared if shared is None else shared
        return alone if by is None else confidence.of_one_of_many(shared=by, alone=alone)


def localise(planner: Planner) -> Localisation:
    """What the rounds say. Blames nobody where nobody passed, nor more than half of the nodes, nor by a test
    that did not run.
    """
    case = _case(planner)
    nodes, ledger = planner.nodes, planner.ledger
    ran = [seen for seen in ledger.observations() if seen.ran]
    first = next(ledger.observations(), None)
    groups = two_groups(nodes=nodes, ledger=ledger, between=case.why.between_groups)
    return Localisation(
        threshold=ledger.threshold,
        nodes={node: _node(node, case) for node in nodes},
        links=tuple(_links(case)),
        configuration=case.nobody_passed or bool(case.why.between_groups),
        no_reference=case.no_reference,
        links_tested=len(ledger.tested),
        links_total=len(nodes) * (len(nodes) - 1) // 2,
        configuration_cause=_shared_cause(ran) if case.nobody_passed else None,
        not_made="" if ran or first is None else _first_detail(list(ledger.observations())),
        leaves=tuple(_leaf(one, case) for one in case.why.leaves),
        groups_apart=groups,
        halves=case.halves,
        confidence=case.shared,
        because=_because_of_all(case),
    )


def _case(planner: Planner) -> _Case:
    ledger, state, nodes = planner.ledger, planner.assessment(), planner.nodes
    of_node: dict[str, list[_Test]] = defaultdict(list)
    of_pair: dict[PairKey, list[_Test]] = defaultdict(list)
    for finished in ledger.rounds:
        for seen in finished.observations:
            test = _Test(finished.plan.number, seen)
            of_pair[pair_of(seen.group)].append(test)
            for node in seen.group:
                of_node[node].append(test)
    heard = frozenset(node for pair in ledger.tested for node in pair)
    nobody = not ledger.cleared and len(heard) > 2 and 2 * len(heard) > len(nodes)
    return _Case(planner, state, of_node, of_pair, heard, planner.explanation(state), nobody)


def _node(node: str, case: _Case) -> NodeFinding:
    tests = case.of_node.get(node, ())
    limit = case.ledger.threshold
    failed = [one for one in tests if not passed(one.seen, limit)]
    best = max(
        (one.seen.busbw_gb_per_s for one in tests if one.seen.busbw_gb_per_s is not None), default=None
    )
    state, reason, cause, sure = NodeState.UNTESTED, "it was in no test", None, None
    if tests:
        state, reason, cause, sure = _judge(node, case)
    shown = failed or tests
    return NodeFinding(
        node,
        state,
        best,
        reason,
        cause,
        tuple(name for one in shown for name in one.seen.evidence),
        sure,
        _because(shown, limit),
    )


def _judge(node: str, case: _Case) -> tuple[NodeState, str, str | None, float | None]:
    ledger, state = case.ledger, case.state
    failed = [
        one.seen for one in case.of_node[node] if one.seen.ran and not passed(one.seen, ledger.threshold)
    ]
    if node in case.why.relapsed:
        links = sum(node in pair for pair in state.bad_links)
        reason = f"it passed once, and failed with {links} partners each time, all well with others"
        return NodeState.AT_FAULT, reason, _cause(failed), confidence.of_relapse(bad_links=links)
    if node in ledger.cleared:
        if ledger.threshold.value_gb_per_s is None:
            return NodeState.UNCOMPARED, ledger.threshold.source, None, None
        return NodeState.CLEARED, "a test with it passed", None, None
    if node in state.condemned:
        return _condemned(node, case)
    sure = confidence.of_one_among(
        partners=len(set(ledger.failed_with.get(node, ()))),
        failures=len(failed),
        false_failures=case.false_failures,
    )
    if not failed:
        unheard = [one.seen for one in case.of_node[node] if not one.seen.ran]
        return NodeState.UNDETERMINED, f"its tests could not be made: {_first_detail(unheard)}", None, None
    if case.nobody_passed:
        reason = "no pair passed: something that all nodes share is wrong"
        return NodeState.UNDETERMINED, reason, None, case.of_one(sure)
    if _kept_its_processes(node, case):
        reason = "its test failed with a partner that came free and is well; its own processes stayed on it"
        return NodeState.AT_FAULT, reason, _cause(failed), confidence.of_held(failures=len(failed))
    if node in ledger.withdrawn:
        reason = "its tests failed, and after a kill its GPUs were not seen idle, so no other could be made"
        return NodeState.UNDETERMINED, reason, None, sure
    if not ledger.cleared:
        reason = "it is this node, its only partner, or the link between them"
        return NodeState.UNDETERMINED, reason, None, sure
    return NodeState.UNDETERMINED, "too few tests with a node that passed", None, sure


def _kept_its_processes(node: str, case: _Case) -> bool:
    """Whether processes of its killed tests stayed on this node, while all its partners there came free and
    one or more of them are well with others. Then it is the node, though no other test of it can be made.
    """
    partners = set(case.ledger.failed_with.get(node, ()))
    if node not in case.ledger.held or case.no_reference or partners & case.ledger.withdrawn:
        return False
    return bool(partners & case.ledger.cleared)


def _condemned(node: str, case: _Case) -> tuple[NodeState, str, str | None, float | None]:
    ledger, nodes = case.ledger, case.planner.nodes
    unexplained = unexplained_failures(node, ledger)
    sure = confidence.of_node(unexplained=len(unexplained), false_failures=case.false_failures)
    dark = next((leaf for leaf in case.why.leaves if node in leaf.blamed_nodes), None)
    if dark is not None:
        reason = f"all nodes under leaf {dark.leaves[0]} fail alike"
        return NodeState.UNDETERMINED, reason, None, case.of_one(sure, shared=_confidence_of_leaf(dark))
    if case.why.between_groups:
        reason = "it fails with some nodes, as many nodes do that pass with others: a setting divides them"
        return NodeState.UNDETERMINED, reason, None, case.of_one(sure)
    if case.no_reference:
        reason = "more than half of the nodes fail: there is no reliable reference"
        if case.halves:
            reason = (
                "half of the nodes fail alike: no majority tells the nodes from a setting that they share"
            )
        return NodeState.UNDETERMINED, reason, None, case.of_one(sure)
    cause = _cause_with_good_partners(node, case)
    blamed = len(case.state.condemned)
    if 4 * blamed > len(nodes):
        sure *= confidence.shared_by(alike=blamed, nodes=len(nodes))
    partners = len(set(ledger.failed_with[node]))
    reason = f"it failed with {partners} partners, {len(set(unexplained))} of them well with others"
    return NodeState.AT_FAULT, reason, cause, sure


def _cause_with_good_partners(node: str, case: _Case) -> str | None:
    ledger = case.ledger
    tests = [one.seen for one in case.of_node[node]]
    return _cause(
        [
            one
            for one in tests
            if one.ran and not passed(one, ledger.threshold) and set(one.group) & ledger.cleared
        ]
    )


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


def _because(tests: Sequence[_Test], limit: Threshold) -> tuple[str, ...]:
    """A sentence a test, the first ones and how many more there are."""
    told = [_sentence(one, limit) for one in tests[:_SENTENCES]]
    more = len(tests) - len(told)
    return (*told, f"and {more} tests more") if more else tuple(told)


def _sentence(test: _Test, limit: Threshold) -> str:
    seen = test.seen
    start = f"Round {test.round_number}, {' ↔ '.join(seen.group)}: "
    if seen.busbw_gb_per_s is None:
        broken = seen.detail or seen.cause or "it failed"
        return start + (broken if seen.ended is Ended.BROKEN else f"said nothing ({seen.detail or 'no log'})")
    if limit.value_gb_per_s is None:
        return f"{start}{seen.busbw_gb_per_s:.0f} GB/s, with nothing to compare it with"
    word = "passed" if passed(seen, limit) else "below"
    return f"{start}{seen.busbw_gb_per_s:.0f} GB/s, {word} {limit.value_gb_per_s:.0f}"


def _links(case: _Case) -> list[LinkFinding]:
    ledger = case.ledger
    transient = [
        pair
        for pair in ledger.ever_failed
        if pair not in ledger.streak and ledger.cleared.issuperset(pair) and not case.why.relapsed & set(pair)
    ]
    return [
        _link(pair, verdict, case)
        for pairs, verdict in (
            (case.why.bad_links, LinkState.AT_FAULT),
            (case.why.open_links, LinkState.UNDETERMINED),
            (transient, LinkState.TRANSIENT),
        )
        for pair in pairs
    ]


def _link(pair: PairKey, verdict: LinkState, case: _Case) -> LinkFinding:
    tests = case.of_pair[pair]
    limit = case.ledger.threshold
    failed = [one for one in tests if not passed(one.seen, limit)]
    best = max(
        (one.seen.busbw_gb_per_s for one in failed if one.seen.busbw_gb_per_s is not None), default=None
    )
    streak = case.ledger.streak.get(pair, 0)
    sure = (
        confidence.of_transient(false_failures=case.false_failures)
        if verdict is LinkState.TRANSIENT
        else confidence.of_link(failures=streak, false_failures=case.false_failures)
    )
    evidence = tuple(name for one in failed for name in one.seen.evidence)
    return LinkFinding(pair, verdict, best, evidence, sure, _because(tests, limit))


def _leaf(leaf: FaultyLeaf, case: _Case) -> LeafFinding:
    topology, limit = case.planner.topology, case.ledger.threshold
    under = topology.leaves(case.planner.nodes)
    tests = [one for pair in leaf.links for one in case.of_pair[pair]]
    if leaf.blamed_nodes:
        nodes, reason = leaf.blamed_nodes, f"all {len(leaf.blamed_nodes)} nodes under it fail, others pass"
    elif len(leaf.leaves) == 1:
        nodes = under[leaf.leaves[0]]
        reason = f"its {len(nodes)} nodes pass with each other, and no test out of it passes"
    else:
        nodes = tuple(dict.fromkeys(node for pair in leaf.links for node in pair))
        reason = "no test between the two passes, and their nodes pass with others"
    return LeafFinding(
        leaf.leaves,
        nodes,
        reason,
        _confidence_of_leaf(leaf),
        _because(tests, limit),
        tuple(name for one in tests for name in one.seen.evidence),
    )


def _confidence_of_leaf(leaf: FaultyLeaf) -> float:
    return confidence.of_leaf(failures=len(leaf.links), nodes=len(leaf.blamed_nodes))


def _because_of_all(case: _Case) -> tuple[str, ...]:
    """The tests by which something shared is blamed, summed round by round before the first of them; where no
    test ran, or none could be held to anything, those.
    """
    limit = case.ledger.threshold
    if case.shared is None:
        held = case.heard and limit.value_gb_per_s is not None
        return () if held else _because(_of_pairs(case.of_pair, case), limit)
    failed = [
        one for one in _of_pairs(_pairs_of_all(case), case) if one.seen.ran and not passed(one.seen, limit)
    ]
    counted = Counter(one.round_number for one in failed)
    sums = tuple(f"Round {number}: {count} such tests failed" for number, count in sorted(counted.items()))
    return (*sums, *_because(failed, limit))


def _pairs_of_all(case: _Case) -> Iterable[PairKey]:
    """The pairs whose failures are explained by something shared."""
    if case.why.between_groups and not case.nobody_passed:
        return case.why.between_groups
    failing = set(case.failing)
    return [pair for pair in case.ledger.tested if failing & set(pair)]


def _of_pairs(pairs: Iterable[PairKey], case: _Case) -> list[_Test]:
    """The tests of these pairs, in order."""
    tests = [one for pair in sorted(pairs) for one in case.of_pair[pair]]
    return sorted(tests, key=lambda one: one.round_number)
