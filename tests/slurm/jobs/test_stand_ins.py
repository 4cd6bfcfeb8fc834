"""Job scripts run by bash: srun, torchrun, scontrol, nccl-tests and the training are SIMULATED."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Any

import pytest

from bedplate.slurm.jobs.asked import JobAsked, TrainingAsked
from bedplate.slurm.jobs.script import fsdp2, nccl_tests
from tests.slurm.jobs.made import cluster
from tests.support.jobs.stand_ins import TRAINING, StandIns


@pytest.fixture
def programs(tmp_path: Path) -> StandIns:
    """The stand-ins in a folder of this test."""
    return StandIns(tmp_path / "job")


def _training(programs: StandIns, *arguments: str, **asked: Any) -> str:
    training = TrainingAsked(
        script=TRAINING, arguments=arguments, checkpoints=str(programs.folder / "checkpoints")
    )
    return fsdp2(cluster=cluster(), asked=JobAsked(name="llama", **asked), training=training).text


def _complete(programs: StandIns) -> list[str]:
    return sorted(path.name for path in (programs.folder / "checkpoints").glob("step-*"))


def test_a_training_is_started_by_torchrun_on_each_node(programs: StandIns) -> None:
    """srun starts a torchrun a node, which meets the others on the first one, and the training ends well."""
    code, told = programs.run(_training(programs, "--steps", "4"))
    assert code == 0, told
    assert "start 0 of job 42 on gpu-[1-2]: goes on from the beginning" in told
    (srun,), (torchrun,) = programs.calls("srun"), programs.calls("torchrun")
    assert srun[:2] == ["--label", "--kill-on-bad-exit=1"]
    options = dict(word.split("=", 1) for word in torchrun if word.startswith("--") and "=" in word)
    host, _, port = options["--rdzv_endpoint"].partition(":")
    assert (options["--nnodes"], options["--nproc_per_node"], options["--rdzv_backend"]) == ("2", "8", "c10d")
    assert (bool(host), port, options["--rdzv_id"]) == (True, "20042", "42-0")
    assert torchrun[-4:] == ["--checkpoints", str(programs.folder / "checkpoints"), "--steps", "4"]
    assert _complete(programs) == ["step-000000002", "step-000000004"]
    assert programs.calls("scontrol") == []


def test_a_training_that_died_goes_on_from_the_last_whole_checkpoint(programs: StandIns) -> None:
    """Killed while it writes step 6 it is queued again, and its second start goes on after step 4."""
    text = _training(programs, "--steps", "8", "--die-at", "6")
    code, told = programs.run(text)
    assert code != 0
    assert "the last complete checkpoint is step-000000004" in told
    assert programs.calls("scontrol") == [["requeue", "42"]]
    assert (programs.folder / "checkpoints/.partial-step-000000006").is_dir()
    code, told = programs.run(text, SLURM_RESTART_COUNT="1")
    assert code == 0
    assert "start 1 of job 42 on gpu-[1-2]: goes on from step-000000004" in told
    assert "trains from step 4\nends at step 8\n" in told
    assert len(programs.calls("scontrol")) == 1


def test_what_fails_without_getting_further_is_not_queued_again(programs: StandIns) -> None:
    """A training that dies before its first new checkpoint would do so for ever."""
    code, told = programs.run(_training(programs, "--die-at", "1"))
    assert code != 0
    assert "queued again" not in told
    assert programs.calls("scontrol") == []


def test_a_signal_before_the_time_limit_makes_a_checkpoint_and_another_start(programs: StandIns) -> None:
    """torchrun survives it, the training writes a checkpoint and ends, and the job is queued again, though an
    earlier training has left its word that it is done.
    """
    (programs.folder / "checkpoints").mkdir()
    (programs.folder / "checkpoints/finished").touch()
    text = _training(programs, "--steps", "100000", "--every", "100000", "--pause-seconds", "0.02")
    process = programs.start(text)
    assert process.stdout is not None
    until = time.monotonic() + 60
    while "trains from" not in process.stdout.readline():
        assert time.monotonic() < until
    process.send_signal(signal.SIGUSR1)
    told, _ = process.communicate(timeout=60)
    (complete,) = _complete(programs)
    assert process.returncode == 0
    assert f"queued again, since its time is over: the last complete checkpoint is {complete}" in told
    assert programs.calls("scontrol") == [["requeue", "42"]]


def test_a_training_that_is_done_is_not_queued_again(programs: StandIns) -> None:
    """Once it has said so, neither the signal nor a failure of the step makes another start."""
    text = _training(programs, "--steps", "2")
    waits = 'until [ -e "$checkpoints/finished" ]; do sleep 0.1; done; stop\n'
    fails = text.replace("step=$!\n", 'wait "$!"; (exit 7) & step=$!\n')
    for changed in (text.replace("step=$!\n", f"step=$!\n{waits}"), fails):
        code, told = programs.run(changed)
        assert (code, programs.calls("scontrol")) == (0, []), told
    assert "done, though the step ended with 7" in told


def test_in_a_container_the_folders_are_mounted(programs: StandIns) -> None:
    """Pyxis gets the image, the Lustre, what was asked, the checkpoints, and the folder of submission."""
    made = _training(programs, "--steps", "2", container="/fsx/a b.sqsh", mounts=("/opt/a:/opt/a:ro",))
    code, told = programs.run(made)
    assert code == 0, told
    (srun,) = programs.calls("srun")
    mounts = f"/fsx:/fsx,/opt/a:/opt/a:ro,{programs.folder}/checkpoints:{programs.folder}/checkpoints"
    assert "--container-image=/fsx/a b.sqsh" in srun
    assert f"--container-mounts={mounts},{programs.folder}:{programs.folder}" in srun
    assert f"--container-workdir={programs.folder}" in srun


def test_a_container_without_lustre_sees_the_given_folder(programs: StandIns) -> None:
    """Where the environment has no Lustre the mounts are the checkpoints and the folder of submission."""
    training = TrainingAsked(script=TRAINING, checkpoints=str(programs.folder / "checkpoints"))
    made = fsdp2(
        cluster=cluster(file_systems=()),
        asked=JobAsked(name="llama", container="image"),
        training=training,
    )
    code, told = programs.run(made.text)
    assert code == 0, told
    (srun,) = programs.calls("srun")
    folder = programs.folder
    assert f"--container-mounts={folder}/checkpoints:{folder}/checkpoints,{folder}:{folder}" in srun


def test_what_is_exported_before_sbatch_goes_before_ours(programs: StandIns) -> None:
    """NCCL_NET of the user's own reaches the ranks; ours is taken where there is none."""
    show = 'srun() { echo "net=$NCCL_NET"; }\n'
    text = _training(programs).replace("set -euo pipefail\n", f"set -euo pipefail\n{show}")
    assert "net=AWS Libfabric\n" in programs.run(text)[1]
    assert "net=Socket\n" in programs.run(text, NCCL_NET="Socket")[1]


def test_a_collective_runs_as_the_validation_runs_it(programs: StandIns) -> None:
    """By PMIx, with the validation's sizes and effort."""
    made = nccl_tests(cluster=cluster(), asked=JobAsked(name="nccl"), collective="all_reduce")
    code, told = programs.run(made.text)
    assert code == 0, told
    ((*srun, program),) = [words[:4] for words in programs.calls("srun")]
    assert srun == ["--mpi=pmix", "--label", "--kill-on-bad-exit=1"]
    assert program == str(programs.bin / "all_reduce_perf")
    sizes = ["-b", "8", "-e", "16G", "-f", "2", "-g", "1", "-n", "20", "-w", "5", "-c", "1"]
    assert programs.calls("all_reduce_perf") == [sizes]


def test_a_collective_whose_program_is_missing_says_where_it_looked(programs: StandIns) -> None:
    """The job ends with the names of the places, and starts nothing."""
    made = nccl_tests(cluster=cluster(), asked=JobAsked(name="nccl"), collective="all_gather")
    code, told = programs.run(made.text)
    assert code != 0
    assert "all_gather_perf is neither on PATH nor in /usr/local/cuda-*/efa/test-cuda-*" in told
    assert programs.calls("srun") == []


def test_programs_off_path_are_found_newest_first(programs: StandIns) -> None:
    """Of several CUDA folders the newest that has the program is taken."""
    for version in ("12.9", "13.0"):
        folder = programs.folder / f"cuda-{version}/efa/test-cuda-{version}"
        folder.mkdir(parents=True)
        (folder / "all_gather_perf").symlink_to(programs.bin / "all_reduce_perf")
    made = nccl_tests(cluster=cluster(), asked=JobAsked(name="nccl"), collective="all_gather")
    text = made.text.replace("/usr/local/cuda-*", f"{programs.folder}/cuda-*")
    assert programs.run(text)[0] == 0
    assert programs.calls("srun")[0][3].endswith("test-cuda-13.0/all_gather_perf")
