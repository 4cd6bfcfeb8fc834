"""A real slurmd's prolog and epilog label the GPUs of a job with it."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from tests.support.real_slurm.cluster import RealSlurm

from .conftest import Start

pytestmark = [
    pytest.mark.real("slurmctld", "munged"),
    pytest.mark.skipif(os.geteuid() != 0, reason="slurmd acts for other users only as root"),
    pytest.mark.slow,
    pytest.mark.timeout(300),
]
REPOSITORY = Path(__file__).resolve().parents[3]


def _hook(path: Path, stage: str, root: Path) -> None:
    """The health check asks nothing here: this node has no settings, which holds no job back."""
    path.write_text(
        f'#!/bin/sh\nexport BEDPLATE_ROOT="{root}" PYTHONPATH="{REPOSITORY}"\nenv > "{root}/{stage}.env"\n'
        f"exec {sys.executable} -m bedplate.node health-check --stage {stage}\n"
    )
    path.chmod(0o755)


def test_a_jobs_gpus_are_its_own_from_its_start_to_its_end(
    start_slurm: Start, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """slurmd tells both hooks the job and its GPUs; the other GPUs of the node are nobody's."""
    folder = tmp_path_factory.mktemp("marks")
    for part in (folder, *folder.parents[:2]):
        part.chmod(0o755)
    for stage in ("prolog", "epilog"):
        _hook(folder / stage, stage, folder)
    slurm: RealSlurm = start_slurm(
        nodes=1,
        settings={"Prolog": f"{folder}/prolog", "Epilog": f"{folder}/epilog", "PrologFlags": "Alloc"},
    )
    job = slurm.submit("sleep 8", "-N1", "--gres=gpu:2")
    gpus = folder / "run/bedplate/gpu-jobs"
    until = time.monotonic() + 60
    while not (gpus / "1").exists():
        assert time.monotonic() < until, "the prolog labels the GPUs"
        time.sleep(0.1)
    assert {path.name: path.read_text() for path in gpus.iterdir()} == {"0": f"{job}\n", "1": f"{job}\n"}
    assert [path.name for path in (folder / "run/bedplate/jobs").iterdir()] == [job]
    slurm.wait_job(job, "COMPLETED")
    until = time.monotonic() + 60
    while any(gpus.iterdir()):
        assert time.monotonic() < until, "the epilog takes the labels away"
        time.sleep(0.2)
    assert not any((folder / "run/bedplate/jobs").iterdir())
