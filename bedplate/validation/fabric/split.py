"""Groups of nodes that work among themselves and not with each other; pure.

Then pairs fail although each of their nodes passes with others, and more of them than bad links explain,
which are rare. No node and no link is at fault, but what the groups do not share: a version, a plug-in, a
security group, or the path between the places where they stand.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from bedplate.validation.fabric.assessment import Assessment
from bedplate.validation.fabric.components import components
from bedplate.validation.fabric.ledger import Ledger, PairKey
from bedplate.validation.fabric.policy import Policy

_FEWEST_IN_DOUBT = 4
_FEWEST_BAD = 2
_USUAL_SHARE_OF_BAD_LINKS = 0.01


def failures_between_groups(
    *, nodes: Sequence[str], state: Assessment, explained: Iterable[PairKey], ledger: Ledger, policy: Policy
) -> tuple[PairKey, ...]:
    """The failed pairs that two groups of nodes explain, empty where there is no sign of any."""
    gone = set(explained)
    doubted = [
        pair for pair in (*state.bad_links, *state.open_links) if pair not in gone and pair in ledger.streak
    ]
    if len(doubted) < _FEWEST_IN_DOUBT:
        return ()
    around_islands = _around_islands(nodes, doubted, ledger)
    if around_islands:
        others = len(doubted) - len(around_islands)
        return tuple(doubted) if others >= _FEWEST_IN_DOUBT else around_islands
    scattered = _without_meeting_points(doubted)
    bad = set(state.bad_links)
    tests = len(ledger.tested)
    many = len(scattered) >= _FEWEST_IN_DOUBT + policy.failures_by_chance(tests)
    lasting = sum(pair in bad for pair in scattered)
    many_bad = lasting >= _FEWEST_BAD + int(_USUAL_SHARE_OF_BAD_LINKS * tests)
    return tuple(doubted) if many or many_bad else ()


def _around_islands(nodes: Sequence[str], doubted: Sequence[PairKey], ledger: Ledger) -> tuple[PairKey, ...]:
    """The failed pairs on the shore of a group that passes with itself and with nobody else: at least four,
    from at least two of its nodes.
    """
    home = components(nodes, ledger)
    size = Counter(home.values())
    shore: dict[int, list[tuple[str, PairKey]]] = defaultdict(list)
    for pair in doubted:
        for node in pair:
            if home[pair[0]] != home[pair[1]] and 1 < size[home[node]] <= len(nodes) // 2:
                shore[home[node]].append((node, pair))
    found: dict[PairKey, None] = {}
    for reached in shore.values():
        if len(reached) >= _FEWEST_IN_DOUBT and len({node for node, _ in reached}) > 1:
            found.update((pair, None) for _, pair in reached)
    return tuple(found)


def _without_meeting_points(doubted: Sequence[PairKey]) -> list[PairKey]:
    """The pairs without those that one node explains by being in half of them."""
    count = Counter(node for pair in doubted for node in pair)
    meeting = {node for node, links in count.items() if links > 2 and 2 * links >= len(doubted)}
    return [pair for pair in doubted if not meeting & set(pair)]


def two_groups(
    *, nodes: Sequence[str], ledger: Ledger, between: Sequence[PairKey]
) -> tuple[tuple[str, ...], ...]:
    """The two groups, larger first, that ``between`` divides most of the nodes into: each of its pairs has a
    node in either, and each passing pair has both in one. Where the tests tell of fewer nodes, the one group
    of two or more that passes with itself only, or none.
    """
    home = components(nodes, ledger)
    opposite: dict[int, set[int]] = defaultdict(set)
    for left, right in between:
        opposite[home[left]].add(home[right])
        opposite[home[right]].add(home[left])
    if not opposite:
        return ()
    start = next(iter(opposite))
    side = {start: True}
    waiting = [start]
    while waiting:
        one = waiting.pop()
        for other in opposite[one]:
            if other not in side:
                side[other] = not side[one]
                waiting.append(other)
            elif side[other] is side[one]:
                return ()
    if set(opposite) - set(side):
        return ()
    halves = [tuple(node for node in nodes if side.get(home[node]) is value) for value in (True, False)]
    larger, smaller = sorted(halves, key=len, reverse=True)
    if 2 * (len(larger) + len(smaller)) > len(nodes):
        return larger, smaller
    alone = len({home[node] for node in smaller}) == 1 < len(smaller)
    return (smaller,) if alone else ()
