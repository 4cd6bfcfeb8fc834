"""Prolog and epilog note which job has the node and its GPUs, and never fail a job for it."""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path

import pytest

from bedplate.node import health_check, job_marks
from bedplate.node.file_lock import take_lock
from bedplate.node.job_marks import forget_job, gpu_indices, gpu_minors, marks, note_job
from bedplate.node.metrics.collectors import jobs
from tests.node.metrics.machine import SETTINGS, Machine

JOB = {
    "SLURM_JOB_ID": "42",
    "SLURM_JOB_GPUS": "0,2-3",
    "SLURM_JOB_PARTITION": "train",
    "SLURM_JOB_ACCOUNT": "pretraining",
}


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A node."""
    return Machine(tmp_path, monkeypatch)


def mapping(machine: Machine) -> dict[str, str]:
    """dcgm-exporter's folder: file → text."""
    folder = machine.root / "run/bedplate/gpu-jobs"
    return {path.name: path.read_text() for path in folder.iterdir()} if folder.is_dir() else {}


def test_a_job_has_its_gpus_from_prolog_to_epilog(machine: Machine) -> None:
    """One file a GPU, and nothing else in the folder: the exporter takes every file for a GPU."""
    note_job(JOB)
    assert mapping(machine) == {"0": "42\n", "2": "42\n", "3": "42\n"}
    note_job(JOB)
    assert mapping(machine)["0"] == "42\n"
    forget_job(JOB)
    assert mapping(machine) == {}
    assert marks() == []
    forget_job(JOB)


def test_two_jobs_may_share_a_gpu(machine: Machine) -> None:
    """One id a line; each epilog takes its own away."""
    note_job(JOB)
    note_job({**JOB, "SLURM_JOB_ID": "43", "SLURM_JOB_GPUS": "3"})
    assert mapping(machine)["3"] == "42\n43\n"
    forget_job(JOB)
    assert mapping(machine) == {"3": "43\n"}


def test_device_files_are_not_always_in_dcgms_order(machine: Machine) -> None:
    """Slurm counts device files, DCGM counts PCI addresses; where not all are known, they are the same."""
    for address, minor in (("0000:53:00.0", 1), ("0000:64:00.0", 0)):
        machine.write(
            f"/proc/driver/nvidia/gpus/{address}/information", f"Model: x\nDevice Minor: \t {minor}\n"
        )
    assert gpu_minors() == {1: 0, 0: 1}
    assert gpu_indices("0", minors=gpu_minors()) == (1,)
    machine.write("/proc/driver/nvidia/gpus/0000:64:00.0/information", "Model: x\n")
    assert gpu_minors() == {}
    assert gpu_indices("0,5-6,x", minors={}) == (0, 5, 6)


@pytest.mark.parametrize("job", [{}, {"SLURM_JOB_ID": "../../etc/passwd"}, {"SLURM_JOB_ID": ""}])
def test_without_a_job_id_nothing_is_written(machine: Machine, job: dict[str, str]) -> None:
    """The id is a file's name."""
    note_job(job)
    forget_job(job)
    assert not (machine.root / "run").exists()


def test_a_job_is_noted_though_nothing_can_be_written(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    """A full disk, or a file in the folder's place: told, and no more."""
    machine.write("/run/bedplate", "a file\n")
    note_job(JOB)
    forget_job(JOB)
    assert "could not be noted" in capsys.readouterr().err


def test_a_lock_that_somebody_keeps_makes_no_job_late(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is waited for, not for ever."""
    monkeypatch.setattr(job_marks, "_LOCK_SECONDS", 0.1)
    lock = take_lock(machine.root / "run/bedplate/job-marks.lock")
    begun = time.monotonic()
    note_job(JOB)
    assert time.monotonic() - begun < 10
    assert lock is not None
    lock.close()
    assert [each.job_id for each in marks()] == ["42"]


@pytest.mark.parametrize(("status", "noted"), [(0, True), (1, False)])
def test_a_prolog_that_refuses_its_job_notes_nothing(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, status: int, noted: bool
) -> None:
    """The job starts elsewhere; an epilog takes it away whatever it finds."""
    monkeypatch.setattr(health_check, "_checked", lambda _: status)
    for name, value in JOB.items():
        monkeypatch.setenv(name, value)
    assert health_check.main(argparse.Namespace(stage="prolog", slurm="")) == status
    assert bool(mapping(machine)) is noted
    assert health_check.main(argparse.Namespace(stage="epilog", slurm="")) == status
    assert mapping(machine) == {}


def test_the_job_is_a_series_with_its_name(machine: Machine) -> None:
    """The name is asked for once, by the collector: no job waits for it."""
    note_job(JOB)
    asked = machine.root / "asked"
    machine.program(
        "scontrol", f"echo x >> {asked}; echo 'JobId=42 JobName=pretrain-7b UserId=a Account=other'"
    )
    expected = (
        ("hpc_job", "42"),
        ("job_name", "pretrain-7b"),
        ("account", "pretraining"),
        ("partition", "train"),
        ("gpus", "0,2,3"),
    )
    for _ in range(2):
        (family,) = jobs.COLLECTOR.collect(machine.around())
        assert family.name == "bedplate_job_node"
        assert [(each.labels, each.value) for each in family.samples] == [(expected, 1)]
    assert asked.read_text() == "x\n"


def test_a_name_that_slurmctld_does_not_tell_is_empty(machine: Machine) -> None:
    """And is not asked for at every run: a thousand nodes would."""
    note_job({**JOB, "SLURM_JOB_ACCOUNT": ""})
    asked = machine.root / "asked"
    machine.program("scontrol", f"echo x >> {asked}; exit 1")
    for _ in range(2):
        (family,) = jobs.COLLECTOR.collect(machine.around())
        assert dict(family.samples[0].labels)["job_name"] == ""
    assert asked.read_text() == "x\n"
    assert jobs.COLLECTOR.applies(SETTINGS)


def test_a_mark_that_cannot_be_read_is_none(machine: Machine) -> None:
    """The others are told."""
    note_job(JOB)
    machine.write("/run/bedplate/jobs/43", "{")
    machine.write("/run/bedplate/jobs/44", json.dumps({"job_id": "44", "gpus": 3}))
    assert [each.job_id for each in marks()] == ["42"]
    assert os.environ["BEDPLATE_ROOT"]
