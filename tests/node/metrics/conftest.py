"""A machine for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.node.metrics.machine import Machine


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A node of two EFA devices and eight GPUs."""
    return Machine(tmp_path, monkeypatch)
