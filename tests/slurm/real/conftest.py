"""Clusters for the tests of this folder, each with a short folder that all users may read."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from bedplate.spec.orchestrator import SlurmPcs
from tests.support.real_slurm.cluster import RealSlurm

Start = Callable[..., RealSlurm]
PCS = SlurmPcs.model_validate(
    {
        "kind": "slurm-pcs",
        "accounting": False,
        "partitions": [{"name": "train", "pools": ["h200"], "default": True}],
    }
)
"""An orchestrator of one partition, whose settings are ours alone."""


@pytest.fixture(scope="module")
def start_slurm() -> Iterator[Start]:
    """Start clusters that end with the module."""
    with ExitStack() as stack:

        def start(**asked: Any) -> RealSlurm:
            folder = Path(tempfile.mkdtemp(prefix="slurm-"))
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            folder.chmod(0o755)
            return stack.enter_context(RealSlurm(folder=folder, **asked))

        yield start
