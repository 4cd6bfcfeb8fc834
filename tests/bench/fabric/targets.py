"""What our search must reach in each row; data for the tests and for the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tests.bench.fabric.measure import Count
from tests.bench.fabric.rows import OURS

_ROUNDS = {"bad-nodes": (2, 3), "healthy": (1, 2), "bad-link": (3, 3), "noise": (5, 5)}
"""Row → most rounds for an even and for an odd number of nodes."""
_NOISE_SHARE = 0.01


def broken_targets(counts: Iterable[Count]) -> Iterator[str]:
    """One sentence for each target that a count of ours does not reach."""
    for one in counts:
        if one.scheme == OURS:
            yield from (f"{one.row}, N = {one.nodes}: {text}" for text in _broken(one))


def wrong_by_noise(counts: Iterable[Count]) -> tuple[int, int]:
    """Runs of ours with noise that blame wrongly, and all such runs."""
    noisy = [one for one in counts if one.scheme == OURS and one.row == "noise"]
    return sum(one.wrongly_blamed for one in noisy), sum(one.runs for one in noisy)


def noise_target_met(counts: Iterable[Count]) -> bool:
    """At most one run in a hundred, over all sizes: one size alone has too few runs to tell."""
    wrong, runs = wrong_by_noise(counts)
    return wrong <= _NOISE_SHARE * runs


def _broken(one: Count) -> Iterator[str]:
    most = _most_rounds(one)
    if most is not None and one.rounds_most > most:
        yield f"{one.rounds_most} rounds; at most {most} are allowed"
    if one.missed and one.row != "two-kinds":
        yield f"a fault was passed in {one.missed} of {one.runs} runs"
    if one.wrongly_blamed and one.row not in ("noise", "two-kinds"):
        yield f"{one.wrongly_blamed} of {one.runs} runs blame what is well"
    if one.row == "bad-nodes" and one.tests_over_bound:
        yield f"{one.tests_over_bound} runs take more than N/2 + 2k tests"
    if one.row in ("all-slow", "majority-bad") and one.said_shared < one.runs:
        yield f"{one.runs - one.said_shared} runs do not say that no node is to blame"


def _most_rounds(one: Count) -> int | None:
    if one.row == "coverage":
        return one.nodes - 1 + one.nodes % 2
    found = _ROUNDS.get(one.row)
    # Four nodes and fewer than one in two that pass: more pairings tell a setting from one bad node a pair.
    return found[one.nodes % 2] if found else None
