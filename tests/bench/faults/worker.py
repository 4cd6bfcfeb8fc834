"""One process of the bench: keeps its booted clusters from one batch of runs to the next."""

from __future__ import annotations

import argparse
import atexit
from collections.abc import Sequence

from tests.bench.faults.draws import run_of
from tests.bench.faults.harness import Harness, How
from tests.bench.faults.score import Score

_HELD: list[Harness] = []
# Each played program makes its parser; a look for translations on disk is a twentieth of a run's time.
setattr(argparse, "_", str)  # noqa: B010


def score_many(numbers: Sequence[int], *, seed: str, how: How) -> list[Score]:
    """The scores of these runs, in order."""
    if not _HELD:
        harness = Harness().__enter__()
        _HELD.append(harness)
        atexit.register(harness.__exit__, None, None, None)
    return [_HELD[0].score(run_of(number, seed=seed), how=how) for number in numbers]
