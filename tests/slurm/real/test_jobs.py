"""Printed jobs on a real Slurm: they land where they should, with GPUs, and trainings go on.

SIMULATED: torchrun, the training and nccl-tests. Slurm, its signals and the requeues are real.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bedplate.slurm.jobs.asked import JobAsked, TrainingAsked
from bedplate.slurm.jobs.script import fsdp2, nccl_tests
from bedplate.slurm.settings import cluster_settings, queue_settings
from tests.slurm.jobs.made import TRAIN, cluster, pcs
from tests.support.jobs.stand_ins import TRAINING, StandIns
from tests.support.real_slurm.cluster import RealSlurm
from tests.support.real_slurm.config import PartitionLine, without_hooks

from .conftest import Start

pytestmark = [
    pytest.mark.real("slurmctld", "munged", "pmix"),
    pytest.mark.skipif(os.geteuid() != 0, reason="slurmd acts for other users only as root"),
    pytest.mark.slow,
    pytest.mark.timeout(240),
]
SLURM = pcs(accounting=False, partitions=[TRAIN, {"name": "debug", "pools": ["h200"], "max_time_hours": 1}])
CLUSTER = cluster(SLURM)
ALL_GPUS = "sees GPUs 0,1,2,3,4,5,6,7"


class Jobs:
    """Submits printed scripts as they are."""

    def __init__(self, slurm: RealSlurm, folder: Path) -> None:
        self.slurm, self.folder = slurm, folder
        self.programs = StandIns(folder / "programs", real_slurm=True)
        path = slurm.environment["PATH"]
        slurm.environment.update(
            PATH=f"{self.programs.bin}{os.pathsep}{path}", CALLS=str(self.programs.calls_file)
        )

    def submit(self, name: str, text: str) -> str:
        """The job's id."""
        script = self.folder / f"{name}.sbatch"
        script.write_text(text, encoding="utf-8")
        return self.slurm.run("sbatch", "--parsable", str(script)).strip()

    def train(self, name: str, *arguments: str, **asked: Any) -> str:
        """Submit a training on two nodes; the job's id."""
        training = TrainingAsked(
            script=TRAINING, arguments=arguments, checkpoints=str(self.checkpoints(name))
        )
        made = fsdp2(cluster=CLUSTER, asked=JobAsked(name=name, nodes=2, **asked), training=training)
        return self.submit(name, made.text)

    def checkpoints(self, name: str) -> Path:
        """The folder of a training."""
        return self.folder / "checkpoints" / name

    def log(self, name: str, job: str) -> str:
        """What a job has printed."""
        path = self.slurm.folder / f"{name}-{job}.out"
        return path.read_text(encoding="utf-8") if path.exists() else ""


@pytest.fixture(scope="module")
def jobs(start_slurm: Start, tmp_path_factory: pytest.TempPathFactory) -> Jobs:
    """Three nodes with our settings, and the two partitions of the environment."""
    lines = tuple(
        PartitionLine(each.name, queue_settings(each, kind=SLURM.kind)) for each in SLURM.partitions
    )
    settings = without_hooks(cluster_settings(SLURM, kind=SLURM.kind))
    slurm = start_slurm(nodes=3, settings=settings, partitions=lines, cred_expire_seconds=5)
    return Jobs(slurm, tmp_path_factory.mktemp("jobs"))


def _until(condition: Callable[[], object], what: str, seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, what
        time.sleep(0.1)


def test_1_a_collective_lands_on_its_partition_with_a_rank_for_each_gpu(jobs: Jobs) -> None:
    """The default partition, two whole nodes, sixteen ranks by PMIx that each see their node's GPUs."""
    made = nccl_tests(cluster=CLUSTER, asked=JobAsked(name="nccl", nodes=2), collective="all_reduce")
    job = jobs.submit("nccl", made.text)
    done = jobs.slurm.wait_job(job, "COMPLETED", "FAILED")
    log = jobs.log("nccl", job)
    assert (done["JobState"], done["Partition"], done["NumNodes"]) == ("COMPLETED", "train", "2"), log
    ranks = sorted(int(line.split(":")[0]) for line in log.splitlines() if ALL_GPUS in line)
    assert ranks == list(range(16))
    assert len(jobs.programs.calls("all_reduce_perf")) == 16


def test_2_a_training_is_one_torchrun_a_node(jobs: Jobs) -> None:
    """On the partition that was asked, within its time; each torchrun has all GPUs of its node."""
    job = jobs.train("short", "--steps", "2", partition="debug")
    done = jobs.slurm.wait_job(job, "COMPLETED", "FAILED")
    log = jobs.log("short", job)
    assert (done["JobState"], done["Partition"], done["TimeLimit"]) == ("COMPLETED", "debug", "01:00:00"), log
    assert log.count(ALL_GPUS) == 2
    assert {line.split(":")[0] for line in log.splitlines() if ALL_GPUS in line} == {"0", "1"}
    (first, second) = jobs.programs.calls("torchrun")
    assert first == second
    assert jobs.slurm.job(job)["Restarts"] == "0"


def test_3_the_signal_before_the_time_limit_makes_a_checkpoint_and_another_start(jobs: Jobs) -> None:
    """Slurm signals the script alone; torchrun and the training get it by srun, and the job goes on after the
    checkpoint. Meanwhile a second job of its name waits.
    """
    words = ("--steps", "100", "--every", "1000", "--pause-seconds", "0.1")
    job = jobs.train("limit", *words)
    _until(lambda: jobs.log("limit", job).count("trains from step 0") == 2, "the training has begun")
    second = jobs.train("limit", *words)
    _until(lambda: jobs.slurm.job(second)["Reason"] == "Dependency", "the second job waits for the first")
    jobs.slurm.run("scancel", second)
    jobs.slurm.run("scancel", "--batch", "--signal=USR1", job)
    done = jobs.slurm.wait_job(job, "COMPLETED", "FAILED", seconds=90)
    log = jobs.log("limit", job)
    assert (done["JobState"], done["Restarts"]) == ("COMPLETED", "1"), log
    (stopped,) = [line.rpartition(" ")[2] for line in log.splitlines() if "its time is over" in line]
    step = int(stopped.removeprefix("step-"))
    assert 0 < step < 100
    assert f"goes on from {stopped}" in log
    assert log.count(f"trains from step {step}\n") == 2
    assert "ends at step 100" in log


def test_4_a_lost_node_makes_the_training_go_on_elsewhere(jobs: Jobs) -> None:
    """Slurm queues the job again by itself; its second start is on other nodes, after the last checkpoint."""
    job = jobs.train("lost", "--steps", "80", "--every", "5", "--pause-seconds", "0.1")
    folder = jobs.checkpoints("lost")
    _until(lambda: list(folder.glob("step-*")), "a checkpoint is there")
    (folder / ".partial-step-000000079").mkdir()
    lost = jobs.slurm.hosts(job)[1]
    jobs.slurm.lose_node(lost)
    jobs.slurm.run("scontrol", "update", f"NodeName={lost}", "State=DOWN", "Reason=lost")
    _until(lambda: jobs.slurm.job(job)["Restarts"] == "1", "the job is queued again")
    done = jobs.slurm.wait_job(job, "COMPLETED", "FAILED", seconds=120)
    log = jobs.log("lost", job)
    assert done["JobState"] == "COMPLETED", log
    assert lost not in jobs.slurm.hosts(job)
    (second,) = [line for line in log.splitlines() if line.startswith(f"start 1 of job {job} ")]
    step = int(second.rpartition("step-")[2])
    assert 0 < step < 79
    assert log.count(f"trains from step {step}\n") == 2
