"""Where lists of what exporters publish are, which live beside the repository and not in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def published() -> Path:
    """The folder of published metric names, or a skip where it is not beside the repository."""
    root = Path(os.environ.get("BEDPLATE_SHARED", Path(__file__).resolve().parents[4] / "shared"))
    if not (root / "metrics").is_dir():
        pytest.skip("the shared folder is not beside the repository")
    return root / "metrics"
