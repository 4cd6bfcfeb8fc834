"""Which tests to run next. Rounds are counted, not tests: the groups of a round run at once.

Round A screens disjoint pairs; round B gives every suspect a partner of its own that has passed; round C
repeats a pair whose two nodes were cleared meanwhile, to tell a bad link from a passing trouble. With at
most a quarter of the nodes bad that is two rounds for nodes and a third for links.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import islice

from bedplate.validation.fabric.assessment import Assessment, assess
from bedplate.validation.fabric.observation import History, PlannedRound
from bedplate.validation.fabric.policy import Policy
from bedplate.validation.fabric.tournament import tournament

SCREEN = "screen disjoint pairs"
SCREEN_AGAIN = "pair differently"
CONFIRM = "test each suspect with a node that passed"
REPEAT = "repeat a failed pair whose nodes were cleared"
COVER = "cover the links that were not tested"


def plan_next(*, nodes: Sequence[str], history: History, policy: Policy) -> PlannedRound | None:
    """The next round, or None where nothing more can be learnt. With fewer than two nodes there is none at
    all.
    """
    if len(nodes) < 2:
        return None
    number = len(history) + 1
    if not history:
        return PlannedRound(number, SCREEN, next(tournament(nodes)))
    state = assess(nodes=nodes, history=history, policy=policy)
    if len(nodes) == 3 and policy.floor_gb_per_s is None and len(history) < 3:
        # Two pairs that share the bad node agree with each other; without a floor only the third tells.
        return PlannedRound(number, SCREEN_AGAIN, list(tournament(nodes))[len(history)])
    if not state.cleared:
        return _without_reference(nodes, history, policy, state, number)
    suspects = _suspects_with_references(state, nodes)
    busy = {node for group in suspects for node in group}
    groups = suspects + _disjoint(state.worth_repeating, busy)
    purpose = CONFIRM if suspects else REPEAT
    if not groups and policy.cover_links:
        groups, purpose = _uncovered(state, nodes), COVER
    return PlannedRound(number, purpose, tuple(groups)) if groups else None


def _without_reference(
    nodes: Sequence[str], history: History, policy: Policy, state: Assessment, number: int
) -> PlannedRound | None:
    """Nobody passed yet: another pairing, up to the policy's bound. Two nodes have but one: it is "
    "repeated."""
    pairings = list(islice(tournament(nodes), policy.pairings_without_a_pass(len(nodes))))
    if len(nodes) == 2:
        again = len(history) < policy.failures_to_condemn
        return PlannedRound(number, REPEAT, pairings[0]) if again else None
    if len(nodes) == 3:
        pairings = list(tournament(nodes))
    for pairing in pairings:
        if not all(tuple(sorted(pair)) in state.tried_pairs for pair in pairing):
            return PlannedRound(number, SCREEN_AGAIN, pairing)
    return None


def _suspects_with_references(state: Assessment, nodes: Sequence[str]) -> list[tuple[str, ...]]:
    """Each suspect with a partner of its own that has passed, and that it was not tried with yet."""
    free = [node for node in nodes if node in state.cleared]
    groups: list[tuple[str, ...]] = []
    for suspect in state.suspects:
        tried = set(state.tried_with.get(suspect, ()))
        partner = next((node for node in free if node not in tried), None)
        if partner is not None:
            free.remove(partner)
            groups.append((suspect, partner))
    return groups


def _uncovered(state: Assessment, nodes: Sequence[str]) -> list[tuple[str, ...]]:
    """The untried pairs of cleared nodes in the next round of the tournament that has any."""
    for pairing in tournament([node for node in nodes if node in state.cleared]):
        missing: list[tuple[str, ...]] = [
            pair for pair in pairing if tuple(sorted(pair)) not in state.tried_pairs
        ]
        if missing:
            return missing
    return []


def _disjoint(pairs: Iterable[tuple[str, ...]], busy: Collection[str]) -> list[tuple[str, ...]]:
    """As many of the pairs, in order, as share no node with each other nor with the busy ones."""
    taken = set(busy)
    chosen = []
    for pair in pairs:
        if not taken & set(pair):
            taken |= set(pair)
            chosen.append(pair)
    return chosen
