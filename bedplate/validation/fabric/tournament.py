"""Every pair exactly once in as few rounds as can be: N - 1 rounds for an even number of nodes, N for an
odd one.

The circle method (a 1-factorisation of the complete graph), laid out so that its first round pairs
neighbours of the given order: the screening round is the first round of the tournament.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Pair = tuple[str, str]


def tournament(nodes: Sequence[str]) -> Iterator[tuple[Pair, ...]]:
    """The rounds; with an odd number of nodes one node, another each time, has no partner in a round."""
    if len(nodes) < 2:
        return
    seats: list[str | None] = list(nodes)
    if len(seats) % 2:
        seats.append(None)
    count = len(seats)
    circle = _neighbours_opposite(seats)
    fixed, turning = circle[0], circle[1:]
    for turn in range(count - 1):
        row = [fixed, *turning[turn:], *turning[:turn]]
        pairs = ((row[index], row[count - 1 - index]) for index in range(count // 2))
        yield tuple((left, right) for left, right in pairs if left is not None and right is not None)


def _neighbours_opposite(seats: Sequence[str | None]) -> list[str | None]:
    """Seats placed so that seat 2i and seat 2i + 1 of the given order meet in the first round."""
    return [*seats[0::2], *reversed(seats[1::2])]
