"""Tests of where programs are looked for on a node."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bedplate.node import places
from bedplate.node.run_jobs import Job, decode_jobs, encode_jobs, srun_argv


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A node's tree whose PATH holds one empty folder."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("BEDPLATE_ROOT", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path


def program(folder: Path, name: str = "all_reduce_perf") -> str:
    """An executable in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("#!/bin/sh\n")
    (folder / name).chmod(0o755)
    return str(folder)


def test_what_the_image_has_on_its_path_goes_first(root: Path) -> None:
    """PATH as it is, then what is asked for, then the places that exist, the newest CUDA first."""
    old = program(root / "usr/local/cuda-9.2/efa/test-cuda-9.2")
    new = program(root / "usr/local/cuda-12.8/efa/test-cuda-12.8")
    path = places.extended_path(first=("/given", "")).split(os.pathsep)
    assert path == [str(root / "bin"), "/given", new, old]


def test_the_clients_of_the_clusters_slurm_are_taken(root: Path) -> None:
    """An image holds several versions, and a client newer than its cluster is refused."""
    clients = {
        version: program(root / f"opt/aws/pcs/scheduler/slurm-{version}/bin")
        for version in ("25.05", "25.11")
    }
    path = places.extended_path(slurm="25.05").split(os.pathsep)
    assert clients["25.05"] in path
    assert clients["25.11"] not in path


def test_a_program_off_the_path_is_found_where_images_keep_it(root: Path) -> None:
    """The folder is told only where PATH does not have the program."""
    assert places.off_path_folder("all_reduce_perf", holds="nccl-tests") == ""
    folder = program(root / "opt/nccl-tests/build")
    assert places.off_path_folder("all_reduce_perf", holds="nccl-tests") == folder
    program(root / "bin")
    assert places.off_path_folder("all_reduce_perf", holds="nccl-tests") == ""


def test_every_place_names_its_source() -> None:
    """A place without a source is a guess."""
    assert all(place.source and place.holds for place in places.PLACES)


def test_a_jobs_folder_reaches_the_login_node() -> None:
    """What the nodes told of their nccl-tests travels with the job."""
    job = Job("0", "collective", ("n-0",), 10.0, folder="/opt/nccl-tests/build")
    assert decode_jobs(encode_jobs([job])) == [job]


def test_slurm_itself_bounds_a_job() -> None:
    """Whatever becomes of the program on the login node, the job ends a minute or two past its deadline."""
    argv = srun_argv(Job("0", "collective", ("n-0",), 240.0), nonce="nonce-1234")
    assert "--time=5" in argv
