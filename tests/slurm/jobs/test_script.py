"""The text of job scripts: what stands on their ``#SBATCH`` lines, what is quoted, and what is refused."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from bedplate.errors import UsageError
from bedplate.node.bootstrap.steps.set_nccl_defaults import DEFAULTS
from bedplate.node.collectives import BINARIES
from bedplate.slurm.jobs.asked import JobAsked, TrainingAsked
from bedplate.slurm.jobs.rows import ROWS
from bedplate.slurm.jobs.script import COLLECTIVES, Cluster, JobScript, fsdp2, nccl_tests
from bedplate.spec.file_systems import ExistingLustre
from tests.slurm.jobs.made import HOME, cluster, hyperpod, pcs

SCRIPT = "/fsx/code/train.py"


def _train(of: Cluster | None = None, *, training: dict[str, Any] | None = None, **asked: Any) -> JobScript:
    return fsdp2(
        cluster=of or cluster(),
        asked=JobAsked(**{"name": "llama", **asked}),
        training=TrainingAsked(**{"script": SCRIPT, **(training or {})}),
    )


def _options(made: JobScript) -> dict[str, str]:
    lines = [line.removeprefix("#SBATCH --") for line in made.text.splitlines() if line.startswith("#SBATCH")]
    return {name: value for name, _, value in (line.partition("=") for line in lines)}


def test_a_training_asks_for_whole_nodes_and_for_another_start() -> None:
    """Nodes, GPUs, memory and time by the file; a signal before the end, a requeue, one job of a name."""
    made = _train(cluster(pcs(teams=[{"name": "vision"}])), nodes=4, account="vision")
    assert _options(made) == {
        "job-name": "llama",
        "partition": "train",
        "account": "vision",
        "nodes": "4",
        "ntasks-per-node": "1",
        "gpus-per-node": "8",
        "exclusive": "",
        "mem": "0",
        "time": "24:00:00",
        "output": "%x-%j.out",
        "open-mode": "append",
        "requeue": "",
        "signal": "B:USR1@300",
        "dependency": "singleton",
    }


@pytest.mark.parametrize(("instance_type", "gpus"), [("p5.4xlarge", "1"), ("p6-b300.48xlarge", "8")])
def test_gpus_are_those_of_the_hardware_table(instance_type: str, gpus: str) -> None:
    """A collective has a task for each GPU, a training one for each node."""
    of = cluster(instance_type=instance_type)
    made = nccl_tests(cluster=of, asked=JobAsked(name="nccl"), collective="all_reduce")
    assert (_options(made)["gpus-per-node"], _options(made)["ntasks-per-node"]) == (gpus, gpus)
    assert f"--nproc_per_node={gpus} " in _train(of).text


def test_hyperpod_resumes_a_training_itself() -> None:
    """Its srun gets --auto-resume=1; a collective and other kinds do not."""
    of = cluster(hyperpod())
    assert "srun --label --kill-on-bad-exit=1 --auto-resume=1 \\\n" in _train(of).text
    assert "--auto-resume" not in _train().text
    made = nccl_tests(cluster=of, asked=JobAsked(name="nccl"), collective="all_reduce")
    assert "--auto-resume" not in made.text


def test_checkpoints_lie_on_the_first_lustre() -> None:
    """A folder of user and job on it, an existing one as well, or the folder that is given."""
    assert _train().checkpoints == "/fsx/checkpoints/{user}/llama"
    assert '\ncheckpoints=/fsx/checkpoints/"$(id -un)"/llama\n' in _train().text
    there = {"kind": "existing-lustre", "mount": "/data", "id": "fs-0123456789abcdef0", "mount_name": "fsx"}
    of = cluster(file_systems=(HOME, ExistingLustre.model_validate(there)))
    assert _train(of).checkpoints.startswith("/data/checkpoints/")
    assert _train(training={"checkpoints": "/fsx/my runs/"}).checkpoints == "/fsx/my runs"
    own = _train(training={"checkpoints": "/fsx/{user}/it's $(reboot)"})
    assert own.checkpoints == "/fsx/{user}/it's $(reboot)"
    made = next(line for line in own.text.splitlines() if line.startswith("checkpoints="))
    said = subprocess.run(
        ["bash", "-c", f'id() {{ echo me; }}\n{made}\nprintf %s "$checkpoints"'],
        text=True,
        capture_output=True,
        check=True,
    )
    assert said.stdout == "/fsx/me/it's $(reboot)"


def test_without_lustre_a_folder_must_be_named() -> None:
    """A training has no place for checkpoints then (JOB-006); a collective needs none."""
    of = cluster(file_systems=(HOME,))
    with pytest.raises(UsageError) as refused:
        _train(of)
    assert refused.value.error_id == "JOB-006"
    assert _train(of, training={"checkpoints": "/home/runs"}).checkpoints == "/home/runs"
    assert nccl_tests(cluster=of, asked=JobAsked(name="nccl"), collective="all_reduce").checkpoints == ""


def test_nccl_is_told_what_the_node_does_not_tell_it() -> None:
    """Only EFA's plugin; the node's own defaults are in its file, which a container does not see."""
    plain, contained = _train().text, _train(container="nvcr.io#nvidia/pytorch:26.01-py3").text
    for text in (plain, contained):
        assert 'export NCCL_NET="${NCCL_NET:-AWS Libfabric}"' in text
        assert "FI_" not in text
    for name in DEFAULTS:
        assert name not in plain
        assert f"export {name}=" in contained


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_each_collective_is_called_by_its_program(collective: str) -> None:
    """One script for each program of nccl-tests that the validation knows."""
    made = nccl_tests(cluster=cluster(), asked=JobAsked(name="nccl"), collective=collective)
    assert f"find_program {BINARIES[collective]}" in made.text


@pytest.mark.parametrize("container", [None, "/fsx/images/it's torch.sqsh"])
@pytest.mark.parametrize("hostile", ['it\'s; $(reboot) `x` "y" \\', "./-x ü"])
def test_bash_reads_every_script(container: str | None, hostile: str) -> None:
    """Whatever is given, it stays one word of a script that bash can parse."""
    training = {"script": hostile, "arguments": (hostile, "--steps", "10"), "python": hostile}
    for made in (
        _train(container=container, training=training),
        nccl_tests(
            cluster=cluster(), asked=JobAsked(name="nccl", container=container), collective="all_reduce"
        ),
    ):
        done = subprocess.run(["bash", "-n"], input=made.text, text=True, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("asked", "training"),
    [
        ({"name": "two words"}, {}),
        ({"name": "../up"}, {}),
        ({"name": ""}, {}),
        ({"container": "a\nb"}, {}),
        ({"container": ""}, {}),
        ({"container": "  "}, {}),
        ({"container": "--x"}, {}),
        ({"mounts": ("/a:/b",)}, {}),
        ({"container": "x", "mounts": ("/a:/b,/c:/d",)}, {}),
        ({"container": "x", "mounts": ("",)}, {}),
        ({"container": "x", "mounts": ("/a:b",)}, {}),
        ({"container": "x", "mounts": ("/a:/",)}, {}),
        ({"container": "x", "mounts": ("/a:/b", "/c:/b/")}, {}),
        ({}, {"script": ""}),
        ({}, {"script": " "}),
        ({}, {"script": "-c"}),
        ({}, {"script": "train.py --steps 10"}),
        ({}, {"script": "x" * 4096}),
        ({}, {"script": "tr\udcffn.py"}),
        ({}, {"python": ""}),
        ({}, {"python": "-x"}),
        ({}, {"python": "python3 -u"}),
        ({}, {"arguments": ("--checkpoints", "/other")}),
        ({}, {"arguments": ("--checkpoints=/other",)}),
        ({}, {"checkpoints": ""}),
        ({}, {"checkpoints": "/"}),
        ({}, {"checkpoints": "//"}),
        ({}, {"checkpoints": "/fsx/../etc"}),
        ({"mounts": ("/a:/b,/c:/d",)}, {}),
        ({"mounts": ("data",)}, {}),
        ({}, {"script": "a\nb"}),
        ({}, {"python": "a\x1bb"}),
        ({}, {"arguments": ("--x", "\r")}),
        ({}, {"checkpoints": "relative"}),
        ({}, {"checkpoints": "/a,b"}),
        ({}, {"checkpoints": "/a\nb"}),
    ],
)
def test_what_would_be_read_otherwise_is_refused(asked: dict[str, Any], training: dict[str, Any]) -> None:
    """Names, paths, mounts and arguments that sbatch, bash or Pyxis would take apart (JOB-007)."""
    with pytest.raises(UsageError) as refused:
        _train(training=training, **asked)
    assert refused.value.error_id == "JOB-007"
    assert len(str(refused.value)) < 300
    assert refused.value.remedy


def test_a_mount_without_a_container_is_refused_for_a_collective_too() -> None:
    """It would be left out in silence."""
    with pytest.raises(UsageError) as refused:
        nccl_tests(cluster=cluster(), asked=JobAsked(name="nccl", mounts=("/a:/b",)), collective="all_reduce")
    assert refused.value.error_id == "JOB-007"
    assert "without --container" in str(refused.value)


@pytest.mark.parametrize("folder", ["/scratch/runs", "/dev/shm/x", "/run/x", "/scratch"])
def test_checkpoints_are_on_no_disk_of_the_nodes_own(folder: str) -> None:
    """What one node alone sees is no place to go on from (JOB-006)."""
    with pytest.raises(UsageError) as refused:
        _train(training={"checkpoints": folder})
    assert refused.value.error_id == "JOB-006"


def test_a_container_is_refused_where_nodes_have_none() -> None:
    """Both jobs (JOB-008); without one they are printed as ever."""
    asked: dict[str, Any] = {"container": "/fsx/torch.sqsh"}
    of = cluster(pcs(containers={"kind": "none"}))
    makers = (
        lambda: _train(of, **asked),
        lambda: nccl_tests(cluster=of, asked=JobAsked(name="n", **asked), collective="all_reduce"),
    )
    for make in makers:
        with pytest.raises(UsageError, match=r"^--container given, and the cluster has no Enroot") as refused:
            make()
        assert refused.value.error_id == "JOB-008"
    assert "--container" not in _train(of).text


def test_every_id_is_used() -> None:
    """The rows that explain are those that are raised."""
    assert list(ROWS) == [f"JOB-{number:03}" for number in range(1, 10)]
