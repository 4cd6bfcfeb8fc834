"""How long things may take. Everything has a bound: a hang costs its deadline and no more."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True)
class Deadlines:
    """``pair_seconds`` and ``all_nodes_seconds`` bound one collective with its launch,
    ``settle_seconds`` how long a stopped job's processes may stay on the GPUs; ``boot`` (its
    SSM agent is online) and ``bootstrap`` (its bootstrap has ended) count from a node's launch.

    A whole sweep to 16 GiB takes about 10 s on a pair, a launch by srun 15 to 60 s.
    """

    pair_seconds: float
    all_nodes_seconds: float
    settle_seconds: float
    boot: timedelta
    bootstrap: timedelta
    association_seconds: float = 600.0
    """For a file to travel between a folder of Lustre and its bucket. AWS states no time: unverified."""


REAL = Deadlines(
    pair_seconds=240.0,
    all_nodes_seconds=600.0,
    settle_seconds=90.0,
    boot=timedelta(minutes=6),
    bootstrap=timedelta(minutes=30),
)
SIMULATED = Deadlines(
    pair_seconds=20.0,
    all_nodes_seconds=60.0,
    settle_seconds=6.0,
    boot=timedelta(seconds=45),
    bootstrap=timedelta(seconds=60),
    association_seconds=5.0,
)
"""Simulated nodes boot and answer in seconds; a real node's minutes would only be spent waiting for a hang.
"""


def deadlines(*, simulated: bool) -> Deadlines:
    """Those that fit what is validated."""
    return SIMULATED if simulated else REAL
