"""Which tests to run next. Rounds are counted, not tests: the groups of a round run at once.

Round A screens disjoint pairs; round B gives every suspect a partner of its own that has passed; where tests
can fail by chance a further round confirms. In each of them, pairs whose two nodes were cleared meanwhile are
repeated, to tell a bad link from a passing trouble. With at most a quarter of the nodes bad that is two
rounds for nodes, a third for links, and one more to confirm.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from bedplate.validation.fabric.assessment import Assessment, assess
from bedplate.validation.fabric.counter_tests import (
    beside_crossing_links,
    disjoint,
    with_ends_of_bad_links,
)
from bedplate.validation.fabric.explanation import Explanation, explain
from bedplate.validation.fabric.ledger import Ledger, PairKey, pair_of
from bedplate.validation.fabric.observation import FinishedRound, PlannedRound
from bedplate.validation.fabric.policy import Policy
from bedplate.validation.fabric.references import Group, with_references
from bedplate.validation.fabric.topology import Topology, leaf_round, leaf_rounds
from bedplate.validation.fabric.tournament import rounds_of, tournament, tournament_round

SCREEN = "screen disjoint pairs"
SCREEN_AGAIN = "pair differently"
SINGLE_OUT = "test each suspect with a node that passed"
CONFIRM = "confirm: test those that failed again with another node that passed"
REPEAT = "repeat a failed pair whose nodes were cleared"
AMONG = "test the nodes that failed with each other"
COVER = "cover the links that were not tested"
COVER_LEAVES = "cover the paths between leaves"
_ENOUGH_FOR_A_GROUP = 2


class Planner:
    """Plans the rounds of one search over ``nodes``, given in the order of the topology; the policy may be
    changed between rounds, to go on with a coverage.
    """

    def __init__(self, *, nodes: Sequence[str], policy: Policy, topology: Topology | None = None) -> None:
        self.topology = topology or Topology()
        self.nodes = self.topology.in_order(nodes)
        self.policy = policy
        self.ledger = Ledger(floor_gb_per_s=policy.floor_gb_per_s)
        self._cover_turn = self._leaf_turn = 0

    def add(self, finished: FinishedRound) -> None:
        """Enter what a round showed."""
        self.ledger.add(finished)

    def next(self) -> PlannedRound | None:
        """The next round, or None where nothing more can be learnt; with fewer than two nodes there is none
        at all.
        """
        if len(self.nodes) < 2:
            return None
        if not self.ledger.rounds:
            return self._round(SCREEN, tournament_round(self.nodes, 0))
        bounded = self.ledger.searching_rounds >= self.policy.rounds_at_most + self.ledger.covering
        found = self._search() if not bounded else None
        return found or self._cover() or (None if bounded else self._repeat())

    def _search(self) -> PlannedRound | None:
        if len(self.nodes) == 3 and self.policy.floor_gb_per_s is None and len(self.ledger.rounds) < 3:
            # Two pairs that share the bad node agree with each other; without a floor only the third tells.
            return self._round(SCREEN_AGAIN, tournament_round(self.nodes, len(self.ledger.rounds)))
        if not self.ledger.cleared:
            return self._without_reference()
        state = self.assessment()
        if 2 * len(state.condemned) > len(self.nodes):
            return None
        suspects = [node for node in state.suspects if not self._waits_for_its_turn(node)]
        groups = with_references(
            suspects=suspects, free=self._free(state.open_links), ledger=self.ledger, topology=self.topology
        )
        purpose = _purpose(groups, self.ledger)
        if self.policy.cover_links:
            # Links in doubt are tried again once all were covered, all that can be at a time.
            return self._round(purpose, groups)
        busy = {node for group in groups for node in group}
        why = self.explanation(state)
        repeats = self._repeats(why, busy)
        busy.update(node for group in repeats for node in group)
        others = self._beyond_blame(state, why, busy)
        if not groups:
            purpose = REPEAT if repeats else AMONG
        return self._round(purpose, (*groups, *repeats, *others))

    def assessment(self) -> Assessment:
        """What the rounds so far say."""
        return assess(nodes=self.nodes, ledger=self.ledger, policy=self.policy, topology=self.topology)

    def explanation(self, state: Assessment) -> Explanation:
        """What lies behind the links in doubt."""
        return explain(
            nodes=self.nodes, state=state, ledger=self.ledger, policy=self.policy, topology=self.topology
        )

    def _round(self, purpose: str, groups: Iterable[Group], *, covers: bool = False) -> PlannedRound | None:
        chosen = tuple(group for group in groups if not self.ledger.withdrawn.intersection(group))
        return PlannedRound(len(self.ledger.rounds) + 1, purpose, chosen, covers) if chosen else None

    def _free(self, open_links: Sequence[PairKey] = ()) -> list[str]:
        """Cleared nodes, one of each passing pair first: two suspects that failed together should not be
        tried with two that only ever passed with each other. Ends of open links, which are to be repeated,
        come last.
        """
        free = [
            node for node in self.nodes if node in self.ledger.cleared and node not in self.ledger.withdrawn
        ]
        wanted = {node for link in open_links for node in link}
        turned = [*free[0::2], *free[1::2]]
        return [node for node in turned if node not in wanted] + [node for node in turned if node in wanted]

    def _waits_for_its_turn(self, node: str) -> bool:
        """Whether it had no partner yet, and the coverage gives it one."""
        led = self.ledger
        return self.policy.cover_links and not led.failed_with.get(node) and not led.unheard.get(node)

    def _without_reference(self) -> PlannedRound | None:
        """Nobody passed yet: another pairing, up to the policy's bound. Two nodes have but one: it is
        repeated.
        """
        count, rounds = len(self.nodes), len(self.ledger.rounds)
        if count == 2:
            again = rounds < self.policy.failures_of_a_node
            return self._round(REPEAT, tournament_round(self.nodes, 0)) if again else None
        most = 3 if count == 3 else self.policy.pairings_without_a_pass(count)
        for pairing in islice(tournament(self.nodes), most):
            untried = [pair for pair in pairing if pair_of(pair) not in self.ledger.tried]
            if planned := self._round(SCREEN_AGAIN, untried):
                return planned
        return None

    def _repeats(self, why: Explanation, busy: set[str]) -> list[Group]:
        """Links in doubt again; with them, where a link leaves its leaf, others that leave the same two."""
        if self._late or why.between_groups:
            return []
        repeats = disjoint(why.worth_repeating, busy)
        busy = busy | {node for group in repeats for node in group}
        crossing = [*why.worth_repeating, *why.bad_links]
        return repeats + beside_crossing_links(
            crossing=crossing, free=self._free(), busy=busy, ledger=self.ledger, topology=self.topology
        )

    def _beyond_blame(self, state: Assessment, why: Explanation, busy: set[str]) -> list[Group]:
        """Nodes that are blamed, once more with those that could show that it is not they: with each other
        (if they pass, it is what lies between them and the rest), and with both ends of a bad link (if one
        passes, there are two kinds of nodes). Asked where the guarantee of the search ends, or where a round
        more is made anyway.
        """
        too_many = 4 * len(state.condemned) > len(self.nodes) or len(why.bad_links) > 1
        if why.between_groups or why.leaves or (self._late and not too_many):
            return []
        blamed = [node for node in self.nodes if node in state.condemned and node not in busy]
        groups = with_ends_of_bad_links(blamed=blamed, bad_links=why.bad_links, busy=busy, ledger=self.ledger)
        asked = self.policy.noisy or too_many or len(why.open_links) > 1
        if len(state.condemned) < _ENOUGH_FOR_A_GROUP or not asked:
            return groups
        taken = {node for group in groups for node in group}
        alone = [
            node
            for node in blamed
            if node not in taken and not state.condemned.intersection(self.ledger.failed_with[node])
        ]
        return groups + [tuple(pair) for pair in zip(alone[0::2], alone[1::2], strict=False)]

    @property
    def _late(self) -> bool:
        """Whether doubts are left as they are; those of a coverage are always followed up."""
        return self.ledger.searching_rounds >= self.policy.doubt_until_round and not self._covering

    @property
    def _covering(self) -> bool:
        return self.policy.cover_links or self.policy.cover_leaves

    def _cover(self) -> PlannedRound | None:
        if not self.ledger.cleared:
            return None
        if self.policy.cover_leaves:
            while self._leaf_turn < leaf_rounds(self.topology, self.nodes):
                pairs = leaf_round(self.topology, self.nodes, self._leaf_turn)
                self._leaf_turn += 1
                if planned := self._cover_round(COVER_LEAVES, pairs):
                    return planned
        if self.policy.cover_links:
            while self._cover_turn < rounds_of(len(self.nodes)):
                pairs = tournament_round(self.nodes, self._cover_turn)
                self._cover_turn += 1
                if planned := self._cover_round(COVER, pairs):
                    return planned
        return None

    def _cover_round(self, purpose: str, pairs: Iterable[PairKey]) -> PlannedRound | None:
        state = self.assessment()
        out = state.condemned | state.silent
        missing = [pair for pair in pairs if pair_of(pair) not in self.ledger.tried and not out & set(pair)]
        return self._round(purpose, missing, covers=True)

    def _repeat(self) -> PlannedRound | None:
        """After a coverage: the pairs that failed in it, as many at once as can be."""
        if not self._covering or not self.ledger.cleared:
            return None
        return self._round(REPEAT, self._repeats(self.explanation(self.assessment()), set()))


def _purpose(groups: Sequence[Group], ledger: Ledger) -> str:
    again = groups and all(len(ledger.failed_with.get(group[0], ())) > 1 for group in groups)
    return CONFIRM if again else SINGLE_OUT
