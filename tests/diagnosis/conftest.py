"""What the tests of the diagnosis share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bedplate.hardware import InstanceType, instance_type


@pytest.fixture(scope="session")
def p5en() -> InstanceType:
    """8 H200, 16 EFAs, GPUDirect."""
    return instance_type("p5en.48xlarge")


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of real outputs beside the repository, where it is there."""
    root = Path(os.environ.get("BEDPLATE_SHARED", Path(__file__).resolve().parents[3] / "shared"))
    folder = root / "samples"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there: real samples are read where they lie")
    return folder
