"""Every pair exactly once in as few rounds as can be: N - 1 rounds for an even number of nodes, N for an
odd one.

The circle method (a 1-factorisation of the complete graph), laid out so that its first round pairs
neighbours of the given order: the screening round is the first round of the tournament. Any round is made
on its own, so that 4,096 nodes cost no more memory than one round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def rounds_of(nodes: int) -> int:
    """How many rounds the tournament of so many nodes has."""
    return 0 if nodes < 2 else nodes - 1 + nodes % 2


def tournament_round(nodes: Sequence[T], turn: int) -> tuple[tuple[T, T], ...]:
    """One round, counted from 0; of an odd number of nodes one, another each time, has no partner."""
    seats: list[T | None] = list(nodes)
    if len(seats) % 2:
        seats.append(None)
    # Seat 2i and seat 2i + 1 of the given order meet in the first round.
    circle = [*seats[0::2], *reversed(seats[1::2])]
    row = [circle[0], *circle[1 + turn :], *circle[1 : 1 + turn]]
    last = len(row) - 1
    pairs = ((row[index], row[last - index]) for index in range(len(row) // 2))
    return tuple((left, right) for left, right in pairs if left is not None and right is not None)


def tournament(nodes: Sequence[T]) -> Iterator[tuple[tuple[T, T], ...]]:
    """All rounds, in order."""
    for turn in range(rounds_of(len(nodes))):
        yield tournament_round(nodes, turn)
