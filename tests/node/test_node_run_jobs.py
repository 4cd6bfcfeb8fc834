"""Jobs on disjoint nodes: what forces their transport, and that one that is stopped is ended in Slurm too."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from bedplate.node.collectives import between_nodes_environment
from bedplate.node.run_jobs import Job, JobsRefusedError, decode_jobs, encode_jobs, run, srun_argv

NONCE = "0123456789abcdef0123"


def _program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
    path.chmod(0o755)


def test_a_job_that_is_stopped_is_ended_in_slurm_by_its_own_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """srun overruns: it is stopped, and scancel is called with the name that srun was given."""
    _program(tmp_path, "srun", f'echo "$@" > {tmp_path}/srun.log; exec sleep 60')
    _program(tmp_path, "scancel", f'echo "$@" > {tmp_path}/scancel.log')
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    job = Job(job_id="7", kind="collective", nodes=("gpu-1", "gpu-2"), deadline_seconds=0.5)
    (row,) = run(argparse.Namespace(jobs=encode_jobs([job]), slurm="", partition="", qos="", nonce=NONCE))[
        "jobs"
    ]
    assert (row["rc"], row["timed_out"]) == (None, True)
    name = f"bedplate-{NONCE[:16]}-7"
    assert f"--job-name={name}" in (tmp_path / "srun.log").read_text()
    assert (tmp_path / "scancel.log").read_text().strip() == f"--name={name}"


def test_a_job_that_ends_by_itself_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Well or not: there is nothing to end."""
    _program(tmp_path, "srun", 'echo "$NCCL_NET"; exit 3')
    _program(tmp_path, "scancel", f"touch {tmp_path}/cancelled")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    job = Job(job_id="7", kind="collective", nodes=("gpu-1",), deadline_seconds=30.0)
    (row,) = run(argparse.Namespace(jobs=encode_jobs([job]), slurm="", partition="", qos="", nonce=NONCE))[
        "jobs"
    ]
    assert (row["rc"], row["stdout"].strip()) == (3, "AWS Libfabric")
    assert not (tmp_path / "cancelled").exists()


def test_a_long_log_of_a_collective_is_thinned_and_what_an_exercise_prints_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer carries what is left of it, with its status."""
    monkeypatch.setattr("bedplate.node.process.THIN_FROM_BYTES", 10_000)
    _program(
        tmp_path, "srun", "for n in $(seq 1000); do echo 'h:1:2 [0] NCCL INFO Connected all rings'; done"
    )
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    jobs = [
        Job(job_id=kind, kind=kind, nodes=(f"gpu-{kind}",), deadline_seconds=30.0)
        for kind in ("collective", "exercise")
    ]
    rows = run(argparse.Namespace(jobs=encode_jobs(jobs), slurm="", partition="", qos="", nonce=NONCE))[
        "jobs"
    ]
    assert [(row["rc"], row["truncated"]) for row in rows] == [(0, False)] * 2
    assert [row["stdout"].count("Connected") for row in rows] == [17, 1000]
    assert "BEDPLATE-THINNED 983 lines" in rows[0]["stdout"]


@pytest.mark.parametrize(("path", "mnnvl"), [("", None), ("efa", "0"), ("nvlink", "1")])
def test_each_path_is_forced_by_its_own_switch(path: str, mnnvl: str | None) -> None:
    """The plugin always, and NVLink between nodes where it is asked about."""
    environment = between_nodes_environment(path=path)
    assert environment["NCCL_NET"] == "AWS Libfabric"
    assert environment["NCCL_DEBUG"] == "INFO"
    assert environment.get("NCCL_MNNVL_ENABLE") == mnnvl


def test_the_path_travels_with_the_job_and_an_unknown_one_is_refused() -> None:
    """From the controller to the login node; one task that fails ends the job."""
    job = Job(job_id="1", kind="collective", nodes=("a",), deadline_seconds=1.0, path="nvlink")
    assert decode_jobs(encode_jobs([job])) == [job]
    assert "--kill-on-bad-exit=1" in srun_argv(job, nonce=NONCE)
    strange = Job(job_id="1", kind="collective", nodes=("a",), deadline_seconds=1.0, path="tcp")
    with pytest.raises(JobsRefusedError):
        decode_jobs(encode_jobs([strange]))
