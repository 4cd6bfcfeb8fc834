"""``bedplate job``: scripts on standard output or in a file, JSON beside them, and errors with ids."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bedplate.cli.commands import job
from bedplate.slurm.jobs.rows import ROWS
from bedplate.slurm.jobs.script import COLLECTIVES

Bedplate = Callable[..., "subprocess.CompletedProcess[str]"]
FSDP2 = ("job", "fsdp2", "-e", "demo", "--script", "/fsx/code/train.py")


def test_a_script_is_printed_by_itself(bedplate: Bedplate) -> None:
    """Standard output is the script and nothing else, so that it can be piped into sbatch."""
    done = bedplate(*FSDP2, "--nodes", "2", "--", "--steps", "10", "--name=x")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("#!/bin/bash\n")
    assert "#SBATCH --nodes=2\n" in done.stdout
    assert '"$script" --checkpoints "$checkpoints" --steps 10 --name=x &\n' in done.stdout


def test_a_file_is_written_whole(bedplate: Bedplate, tmp_path: Path) -> None:
    """The file gets what would be printed, in the place of what was there, and nothing lies beside it."""
    file = tmp_path / "new" / "train.sbatch"
    for _ in range(2):
        done = bedplate(*FSDP2, "--output", str(file))
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == f"Wrote {file}: 8 nodes of partition train.\n"
    assert file.read_text() == bedplate(*FSDP2).stdout
    assert [path.name for path in file.parent.iterdir()] == ["train.sbatch"]


def test_a_folder_that_cannot_be_written_is_said(bedplate: Bedplate, tmp_path: Path) -> None:
    """An error of the system has an id, and no script is printed instead."""
    (tmp_path / "file").touch()
    done = bedplate(*FSDP2, "-o", str(tmp_path / "file/train.sbatch"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "error[RES-001]" in done.stderr


def test_json_tells_what_is_asked_beside_the_script(bedplate: Bedplate) -> None:
    """A program finds partition, nodes, GPUs, account, hours and checkpoints without reading bash."""
    done = bedplate(
        "job", "nccl-tests", "-e", "prod-slurm", "--account", "research", "--nodes", "4", "--json"
    )
    answer = json.loads(done.stdout)
    assert answer.pop("script").startswith("#!/bin/bash\n")
    assert answer == {
        "name": "nccl-tests",
        "partition": "train",
        "nodes": 4,
        "gpus_per_node": 8,
        "account": "research",
        "hours": 1,
        "checkpoints": None,
        "file": None,
    }
    assert json.loads(bedplate(*FSDP2, "--json").stdout)["checkpoints"] == "/fsx/checkpoints/{user}/fsdp2"


@pytest.mark.parametrize(
    ("arguments", "error_id"),
    [
        (("fsdp2", "-e", "demo", "--script", "a", "--partition", "no"), "JOB-001"),
        (("nccl-tests", "-e", "demo", "--nodes", "9"), "JOB-002"),
        (("nccl-tests", "-e", "prod-slurm"), "JOB-004"),
        (("nccl-tests", "-e", "prod-slurm", "--account", "research", "--hours", "169"), "JOB-005"),
        (("fsdp2", "-e", "dev", "--script", "a"), "JOB-006"),
        (("fsdp2", "-e", "demo", "--script", "a", "--name", "a b"), "JOB-007"),
        (("fsdp2", "-e", "demo", "--script", ""), "JOB-007"),
        (("fsdp2", "-e", "demo", "--script", "a", "--container", ""), "JOB-007"),
        (("fsdp2", "-e", "demo", "--script", "a", "--python", ""), "JOB-007"),
        (("nccl-tests", "-e", "demo", "--mount", "/a:/b"), "JOB-007"),
        (("nccl-tests", "-e", "demo", "--account", ""), "JOB-004"),
        (("nccl-tests", "-e", "demo", "--hours", "99999999"), "JOB-005"),
        (("nccl-tests", "-e", "demo", "--container", "/fsx/nccl.sqsh"), "JOB-008"),
        (("nccl-tests", "-e", "eks"), "JOB-009"),
    ],
)
def test_refusals_have_ids(arguments: tuple[str, ...], error_id: str, bedplate: Bedplate) -> None:
    """Each exits with 2, by its id in words and in JSON, and can be explained."""
    done = bedplate("job", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error[{error_id}]: ")
    error = json.loads(bedplate("job", *arguments, "--json").stdout)["error"]
    assert (error["id"], error["exit_code"]) == (error_id, 2)
    assert error["remedy"]
    assert bedplate("explain", error_id).stdout.startswith(error_id)
    assert error_id in ROWS


def test_the_collectives_of_the_help_are_those_that_there_are() -> None:
    """The choices are written down in the command, which help loads without the templates."""
    assert sorted(job._COLLECTIVES) == sorted(COLLECTIVES)
