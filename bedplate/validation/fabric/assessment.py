"""What the rounds so far say about each node and each pair; pure, and computed anew from the whole history
each time.

A test that passes clears both of its nodes. A test that fails suspects both, until one of them is cleared
elsewhere. A pair that failed although both of its nodes were cleared is about the link between them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bedplate.validation.fabric.observation import Ended, History, Observation
from bedplate.validation.fabric.policy import Policy
from bedplate.validation.fabric.threshold import Threshold, threshold


@dataclass(frozen=True)
class Assessment:
    """The state of a search. A pair is a sorted tuple of two nodes.

    ``failed_with``: node → partners of its failed tests, in order. ``pair_failures``: pair → failed tests
    since it last passed. ``condemned`` nodes have failed often enough, with a cleared partner among them.
    ``open_links`` failed although both ends are cleared, and not yet often enough to be blamed;
    ``bad_links`` often enough; ``transient`` failed, then passed.
    """

    threshold: Threshold
    cleared: frozenset[str]
    condemned: frozenset[str]
    suspects: tuple[str, ...]
    failed_with: Mapping[str, tuple[str, ...]]
    pair_failures: Mapping[tuple[str, ...], int]
    open_links: tuple[tuple[str, ...], ...]
    bad_links: tuple[tuple[str, ...], ...]
    transient: tuple[tuple[str, ...], ...]
    tested_pairs: frozenset[tuple[str, ...]]


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
    cleared = frozenset(node for one in seen if passed(one, limit) for node in one.group)
    failed_with, pair_failures, ever_failed = _failures(seen, limit)
    uncleared = tuple(node for node in nodes if node not in cleared)
    condemned = frozenset(
        node
        for node in uncleared
        if len(failed_with[node]) >= policy.failures_to_condemn and set(failed_with[node]) & cleared
    )
    links = [pair for pair in ever_failed if set(pair) <= cleared]
    bad = tuple(pair for pair in links if pair_failures[pair] >= policy.failures_to_condemn)
    return Assessment(
        threshold=limit,
        cleared=cleared,
        condemned=condemned,
        suspects=tuple(node for node in uncleared if node not in condemned),
        failed_with={node: tuple(partners) for node, partners in failed_with.items()},
        pair_failures=dict(pair_failures),
        open_links=tuple(pair for pair in links if pair_failures[pair] and pair not in bad),
        bad_links=bad,
        transient=tuple(pair for pair in links if not pair_failures[pair]),
        tested_pairs=frozenset(tuple(sorted(one.group)) for one in seen),
    )


def _failures(
    seen: Sequence[Observation], limit: Threshold
) -> tuple[dict[str, list[str]], dict[tuple[str, ...], int], list[tuple[str, ...]]]:
    """Node → partners it failed with; pair → failures since its last pass; pairs that ever failed, in "
    "order."""
    failed_with: dict[str, list[str]] = defaultdict(list)
    pair_failures: dict[tuple[str, ...], int] = defaultdict(int)
    ever_failed: dict[tuple[str, ...], None] = {}
    for one in seen:
        pair = tuple(sorted(one.group))
        if passed(one, limit):
            pair_failures[pair] = 0
            continue
        pair_failures[pair] += 1
        ever_failed[pair] = None
        for node in one.group:
            failed_with[node].extend(other for other in one.group if other != node)
    return failed_with, pair_failures, list(ever_failed)
