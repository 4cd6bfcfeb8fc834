"""What the rounds so far say about each node and each pair; pure, and computed anew from the whole history
each time.

A test that passes clears both of its nodes. A test that fails suspects both, until one of them is cleared
elsewhere. A pair that failed although both of its nodes were cleared is about the link between them. A test
that says nothing is no failure: it is made again, a few times at most, and never counts against anybody.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bedplate.validation.fabric.observation import Ended, History, Observation
from bedplate.validation.fabric.policy import Policy
from bedplate.validation.fabric.threshold import Threshold, threshold


@dataclass(frozen=True)
class Assessment:
    """The state of a search. A pair is a sorted tuple of two nodes.

    ``failed_with``: node → partners of its failed tests, in order; ``tried_with`` holds those of tests that
    said nothing too. ``pair_failures``: pair → failed tests since it last passed. ``condemned`` nodes have
    failed often enough, with a cleared partner among them; ``silent`` ones were in too many tests that said
    nothing to be tried again. ``open_links`` failed or said nothing although both ends are cleared, and not
    often enough to be blamed; ``worth_repeating`` are those of them to try again. ``bad_links`` failed often
    enough; ``transient`` failed, then passed. ``tested_pairs`` holds the pairs of tests that ran,
    ``tried_pairs`` those that said nothing too.
    """

    threshold: Threshold
    cleared: frozenset[str]
    condemned: frozenset[str]
    suspects: tuple[str, ...]
    failed_with: Mapping[str, tuple[str, ...]]
    tried_with: Mapping[str, tuple[str, ...]]
    silent: frozenset[str]
    pair_failures: Mapping[tuple[str, ...], int]
    open_links: tuple[tuple[str, ...], ...]
    worth_repeating: tuple[tuple[str, ...], ...]
    bad_links: tuple[tuple[str, ...], ...]
    transient: tuple[tuple[str, ...], ...]
    tested_pairs: frozenset[tuple[str, ...]]
    tried_pairs: frozenset[tuple[str, ...]]


def observations_of(history: History) -> Iterator[Observation]:
    """Every observation, in order."""
    for finished in history:
        yield from finished.observations


def passed(seen: Observation, limit: Threshold) -> bool:
    """Whether the test is a pass."""
    return (
        seen.ended is Ended.MEASURED
        and seen.busbw_gb_per_s is not None
        and limit.reached_by(seen.busbw_gb_per_s)
    )


def assess(*, nodes: Sequence[str], history: History, policy: Policy) -> Assessment:
    """The state of the search over ``nodes`` after ``history``."""
    seen = list(observations_of(history))
    measured = [one.busbw_gb_per_s for one in seen if one.busbw_gb_per_s is not None]
    limit = threshold(measured_gb_per_s=measured, floor_gb_per_s=policy.floor_gb_per_s)
    enough = policy.failures_to_condemn
    cleared = frozenset(node for one in seen if passed(one, limit) for node in one.group)
    failed_with = _partners(one for one in seen if one.ran and not passed(one, limit))
    unheard_with = _partners(one for one in seen if not one.ran)
    uncleared = tuple(node for node in nodes if node not in cleared)
    condemned = frozenset(
        node
        for node in uncleared
        if len(failed_with.get(node, ())) >= enough and set(failed_with[node]) & cleared
    )
    silent = frozenset(node for node in uncleared if len(unheard_with.get(node, ())) >= enough)
    pairs = _Pairs(seen, limit)
    links = [pair for pair in pairs.ever_in_doubt if set(pair) <= cleared]
    bad = tuple(pair for pair in links if pairs.failures[pair] >= enough)
    open_links = tuple(
        pair for pair in links if pair not in bad and (pairs.failures[pair] or pairs.unheard[pair])
    )
    return Assessment(
        threshold=limit,
        cleared=cleared,
        condemned=condemned,
        suspects=tuple(node for node in uncleared if node not in condemned | silent),
        failed_with=failed_with,
        tried_with=_partners(one for one in seen if not passed(one, limit)),
        silent=silent - condemned,
        pair_failures=dict(pairs.failures),
        open_links=open_links,
        worth_repeating=tuple(pair for pair in open_links if pairs.unheard[pair] < enough),
        bad_links=bad,
        transient=tuple(pair for pair in links if pair in pairs.ever_failed and not pairs.failures[pair]),
        tested_pairs=frozenset(tuple(sorted(one.group)) for one in seen if one.ran),
        tried_pairs=frozenset(tuple(sorted(one.group)) for one in seen),
    )


def _partners(tests: Iterable[Observation]) -> dict[str, tuple[str, ...]]:
    """Node → the others of each test that it was in, in order."""
    found: dict[str, list[str]] = defaultdict(list)
    for one in tests:
        for node in one.group:
            found[node].extend(other for other in one.group if other != node)
    return {node: tuple(partners) for node, partners in found.items()}


class _Pairs:
    """Pair → failures, and tests that said nothing, since it last passed; the pairs that ever did either."""

    def __init__(self, seen: Sequence[Observation], limit: Threshold) -> None:
        self.failures: dict[tuple[str, ...], int] = defaultdict(int)
        self.unheard: dict[tuple[str, ...], int] = defaultdict(int)
        self.ever_failed: set[tuple[str, ...]] = set()
        self.ever_in_doubt: dict[tuple[str, ...], None] = {}
        for one in seen:
            self._add(one, tuple(sorted(one.group)), limit)

    def _add(self, one: Observation, pair: tuple[str, ...], limit: Threshold) -> None:
        if passed(one, limit):
            self.failures[pair] = self.unheard[pair] = 0
            return
        self.ever_in_doubt[pair] = None
        if one.ran:
            self.failures[pair] += 1
            self.ever_failed.add(pair)
        else:
            self.unheard[pair] += 1
