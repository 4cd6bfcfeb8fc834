"""A real PyTorch training as a printed job of a real Slurm: interrupted, it goes on and is the same training.

torch is Debian's 1.13 without GPUs: torchrun and its rendezvous, gloo and DDP are real. FSDP2 is not in it,
so that ``examples/jobs/fsdp2_train.py`` is not run here. One process a node, two nodes a job.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from bedplate.slurm.jobs.asked import JobAsked, TrainingAsked
from bedplate.slurm.jobs.script import fsdp2
from bedplate.slurm.settings import cluster_settings
from tests.slurm.jobs.made import cluster, pcs
from tests.support.real_slurm.cluster import RealSlurm
from tests.support.real_slurm.config import without_hooks

from .conftest import Start

pytestmark = [
    pytest.mark.real("torch", "slurmctld", "munged"),
    pytest.mark.skipif(os.geteuid() != 0, reason="slurmd acts for other users only as root"),
    pytest.mark.slow,
    pytest.mark.timeout(240),
]
EXAMPLES = Path(__file__).parents[3] / "examples/jobs"
SLURM = pcs(accounting=False)
CLUSTER = cluster(SLURM, instance_type="p5.4xlarge")
"""A type with one GPU, so that a node has one process."""
STEPS, EVERY = 60, 20
PACE = ("--pause-seconds", "0.1")
_STOPPED = re.compile(r"its time is over: the last complete checkpoint is step-(\d+)")
_LOSS = re.compile(r"step (\d+) loss (\S+)")


class Trainings:
    """Jobs of ``ddp_train.py`` as `bedplate job fsdp2` prints them, and what they said."""

    def __init__(self, slurm: RealSlurm, folder: Path) -> None:
        self.slurm, self.folder = slurm, folder
        shutil.copytree(EXAMPLES, folder / "code")
        # A node's own processors would be many; one thread a process makes the sums' order its own.
        slurm.environment.update(OMP_NUM_THREADS="1", GLOO_SOCKET_IFNAME="lo")
        # torchrun of 1.13 finds no Std.NONE under Python 3.11, whose flags iterate without their zero. So
        # what a worker prints goes to a file and to torchrun's own output; torchrun has variables for that.
        slurm.environment.update(PET_TEE="1", PET_REDIRECTS="1", PET_LOG_DIR=str(folder))

    def submit(self, name: str, *arguments: str) -> str:
        """The job's id."""
        made = fsdp2(
            cluster=CLUSTER,
            asked=JobAsked(name=name, nodes=2),
            training=TrainingAsked(
                script=str(self.folder / "code/ddp_train.py"),
                arguments=("--steps", str(STEPS), "--every", str(EVERY), *arguments),
                checkpoints=str(self.folder / name),
                python="/usr/bin/python3",
            ),
        )
        script = self.folder / f"{name}.sbatch"
        script.write_text(made.text, encoding="utf-8")
        return self.slurm.run("sbatch", "--parsable", str(script)).strip()

    def log(self, name: str, job: str) -> str:
        """What a job has printed."""
        path = self.slurm.folder / f"{name}-{job}.out"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def wait_for_step(self, step: int, name: str, job: str) -> None:
        """Wait until it has come so far."""
        until = time.monotonic() + 60
        while len(_losses(self.log(name, job))) < step:
            assert time.monotonic() < until, self.log(name, job)
            time.sleep(0.05)

    def end(self, name: str, job: str, *, restarts: int) -> str:
        """Wait for its good end; its log."""
        try:
            done = self.slurm.wait_job(job, "COMPLETED", "FAILED", "CANCELLED", seconds=100)
        except TimeoutError as error:
            raise AssertionError(f"{error}\n{self.log(name, job)}") from error
        log = self.log(name, job)
        assert (done["JobState"], done["Restarts"]) == ("COMPLETED", str(restarts)), log
        assert (self.folder / name / "finished").is_file()
        return log


@dataclass(frozen=True)
class Ran:
    """What three trainings printed: one by itself, one that was stopped, and one that was killed."""

    whole: list[tuple[int, str]]
    stopped: list[tuple[int, str]]
    killed: list[tuple[int, str]]
    stopped_log: str
    killed_log: str


@pytest.fixture(scope="module")
def ran(start_slurm: Start, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """All three at once on six nodes with our settings, since they mostly wait."""
    settings = without_hooks(cluster_settings(SLURM, kind=SLURM.kind))
    slurm = start_slurm(nodes=6, settings=settings, cred_expire_seconds=5)
    trainings = Trainings(slurm, tmp_path_factory.mktemp("trainings"))
    stopped = trainings.submit("stopped", *PACE)
    killed = trainings.submit("killed", *PACE)
    whole = trainings.submit("whole")
    trainings.wait_for_step(6, "stopped", stopped)
    slurm.run("scancel", "--batch", "--signal=USR1", stopped)
    trainings.wait_for_step(EVERY + 4, "killed", killed)
    slurm.run("scancel", "--signal=KILL", f"{killed}.0")
    trainings.end("whole", whole, restarts=0)
    stopped_log = trainings.end("stopped", stopped, restarts=1)
    killed_log = trainings.end("killed", killed, restarts=1)
    return Ran(
        *map(_losses, (trainings.log("whole", whole), stopped_log, killed_log)), stopped_log, killed_log
    )


def _losses(log: str) -> list[tuple[int, str]]:
    """Step and loss in the order they were printed, to the last digit."""
    return [(int(step), loss) for step, loss in _LOSS.findall(log)]


def test_a_training_that_nothing_interrupts_learns(ran: Ran) -> None:
    """It makes each step once, and the mean loss of the last ten is well below that of the first ten."""
    assert [step for step, _ in ran.whole] == list(range(1, STEPS + 1))
    losses = [float(loss) for _, loss in ran.whole]
    assert sum(losses[-10:]) < 0.8 * sum(losses[:10])


def test_a_training_that_is_stopped_by_the_signal_is_the_same_training(ran: Ran) -> None:
    """No step is left out or made twice, and each loss is that of the training without interruption."""
    (step,) = map(int, _STOPPED.findall(ran.stopped_log))
    assert 5 < step < STEPS
    assert f"goes on after step {step}\n" in ran.stopped_log
    assert ran.stopped == ran.whole


def test_a_training_whose_ranks_are_killed_is_the_same_training(ran: Ran) -> None:
    """It goes on from the last checkpoint that it made by itself, and makes the steps since then again."""
    assert "queued again, since it failed with" in ran.killed_log
    assert f"goes on after step {EVERY}\n" in ran.killed_log
    again = ran.killed.index(ran.whole[EVERY], EVERY + 1)
    assert ran.killed[:again] == ran.whole[:again]
    assert ran.killed[again:] == ran.whole[EVERY:]
