"""How processes share a test run: a file's tests stay together and in order, and slow files come first.

Tests of a file build on each other (``test_1_``, ``test_2_``) and on what their file deployed once. Where
each test makes all it needs, its file may be dealt out test by test.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from xdist.scheduler import LoadScopeScheduling

ROOT = Path(__file__).resolve().parents[2]
DEALT_SINGLY = (
    "tests/sandbox/deploy/test_deploy_examples.py",
    "tests/sandbox/fleet/test_fleet_validated.py",
)
"""Files whose every test takes long and shares nothing with the next."""


def unit_of(nodeid: str) -> str:
    """What one process takes at once: a file, or a test of a file that is dealt out singly."""
    file = nodeid.partition("::")[0]
    return nodeid if file in DEALT_SINGLY else file


def slow_files_first(items: list[pytest.Item]) -> None:
    """Sort in place, so that no process is left alone at the end with a file that takes minutes."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


class FileScheduling(LoadScopeScheduling):
    """Deals out units in the order of the collection, whatever ``--dist`` says."""

    def __init__(self, config: pytest.Config, log: object = None) -> None:
        super().__init__(config, log)  # type: ignore[arg-type]
        config.option.loadscopereorder = False

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)
