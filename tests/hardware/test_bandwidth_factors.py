"""busbw / algbw of each collective."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedplate.hardware import COLLECTIVES, UnknownCollective, busbw_factor


@pytest.mark.parametrize(
    ("collective", "ranks", "factor"),
    [
        ("all_reduce", 2, 1.0),
        ("all_reduce", 8, 1.75),
        ("all_reduce", 16, 1.875),
        ("all_reduce", 128, 1.984375),
        ("all_reduce", 1, 0.0),
        ("all_gather", 16, 0.9375),
        ("reduce_scatter", 16, 0.9375),
        ("alltoall", 8, 0.875),
        ("broadcast", 8, 1.0),
        ("sendrecv", 64, 1.0),
    ],
)
def test_factors_are_those_of_nccl_tests(collective: str, ranks: int, factor: float) -> None:
    """The factors are those that nccl-tests documents."""
    assert busbw_factor(collective, ranks) == pytest.approx(factor)


@given(st.sampled_from(COLLECTIVES), st.integers(1, 100_000))
def test_factors_stay_in_their_range(collective: str, ranks: int) -> None:
    """No factor is negative or reaches 2, and all_reduce alone goes above 1."""
    factor = busbw_factor(collective, ranks)
    assert 0 <= factor < 2
    assert collective == "all_reduce" or factor <= 1


@pytest.mark.parametrize("ranks", [0, -1])
def test_without_ranks_there_is_no_factor(ranks: int) -> None:
    """Fewer than one rank is an error, not a number."""
    with pytest.raises(ValueError, match="ranks must be 1 or more"):
        busbw_factor("all_reduce", ranks)


def test_an_unknown_collective_is_refused() -> None:
    """Hypercube and misspelt names are refused."""
    with pytest.raises(UnknownCollective):
        busbw_factor("hypercube", 8)
