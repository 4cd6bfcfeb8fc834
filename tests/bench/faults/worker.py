"""One process of the bench: keeps its booted clusters from one batch of runs to the next."""

from __future__ import annotations

import argparse
import atexit
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path

from bedplate.node import __main__ as node_program
from bedplate.sandbox.fleet import truth
from tests.bench.faults.draws import run_of
from tests.bench.faults.harness import Harness, How
from tests.bench.faults.score import Score
from tests.bench.machine import source_version

_HELD: list[Harness] = []
_VERSION = source_version()
# Each played program makes its parser; a look for translations on disk is a twentieth of a run's time.
setattr(argparse, "_", str)  # noqa: B010
setattr(node_program, "_parser", cache(node_program._parser))  # noqa: B010


_read_truth = truth.read_truth


def _read_once(folder: Path) -> truth.NodeTruth:
    """A node's truth, read again only where its file is another."""
    found = (folder / truth.TRUTH_FILE).stat()
    return _read_version(folder, found.st_ino, found.st_mtime_ns)


@lru_cache(maxsize=256)
def _read_version(folder: Path, _inode: int, _mtime_ns: int) -> truth.NodeTruth:
    return _read_truth(folder)


setattr(truth, "read_truth", _read_once)  # noqa: B010


def score_many(numbers: Sequence[int], *, seed: str, how: How) -> list[Score]:
    """The scores of these runs, in order."""
    if not _HELD:
        harness = Harness().__enter__()
        _HELD.append(harness)
        atexit.register(harness.__exit__, None, None, None)
    scores = (_HELD[0].score(run_of(number, seed=seed), how=how) for number in numbers)
    return [replace(score, version=_VERSION) for score in scores]
