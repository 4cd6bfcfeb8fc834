"""Slurm's hooks are over within half a minute, whatever hangs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.light_checks import STAGES, tools_of
from bedplate.hardware import instance_type
from bedplate.node.bootstrap.places import SETTINGS
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.slurm_client import SlurmClient

REPOSITORY = Path(__file__).resolve().parents[2]
KIND = "p5en.48xlarge"
ULTRASERVER = "p6e-gb200.36xlarge"
HOOK_SECONDS = 30
HANGS = "#!/bin/sh\nexec /bin/sleep 300\n"


def _tools(stage: str) -> set[str]:
    expected = NodeExpectation(mounts=(), lnet_efas=8, local_nvme="raid0")
    return {argv[0] for argv in tools_of(stage=stage, instance_type=instance_type(KIND), expected=expected)}


def _program(folder: Path, name: str, text: str = HANGS) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    (folder / name).chmod(0o755)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [KIND, ULTRASERVER])
@pytest.mark.parametrize("stage", ["prolog", "epilog"])
def test_a_hook_is_over_in_time_where_everything_hangs(stage: str, kind: str, tmp_path: Path) -> None:
    """Every tool, systemd and slurmctld hang: the job starts elsewhere, and what was not answered is told.
    On an UltraServer too, whose hooks have IMEX to see to.
    """
    settings = tmp_path / SETTINGS.lstrip("/")
    settings.parent.mkdir(parents=True)
    told = NodeSettings(
        "test", "h200", "compute", "results", gpus=8, instance_type=kind, imex=kind == ULTRASERVER
    )
    settings.write_text(told.to_json(), encoding="utf-8")
    mark = tmp_path / "run/bedplate/imex.json"
    mark.parent.mkdir(parents=True)
    mark.write_text('{"job": 77}', encoding="utf-8")
    for name in (*_tools(stage), "scontrol", "systemctl", "nvidia-imex-ctl"):
        _program(tmp_path / "bin", name)
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "bedplate.node", "health-check", "--stage", stage],
        env={
            **os.environ,
            "BEDPLATE_ROOT": str(tmp_path),
            "PATH": f"{tmp_path}/bin:/usr/bin:/bin",
            "SLURMD_NODENAME": "gpu-1",
            "SLURM_JOB_ID": "77",
        },
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert time.monotonic() - began < HOOK_SECONDS
    assert done.returncode == 1
    assert "GPU-001 error" in done.stderr
    assert "scontrol show node" in done.stderr


def test_no_hook_around_a_job_asks_dcgm() -> None:
    """Its diagnostic loads the GPUs for minutes; the periodic check reads what DCGM's daemon knows."""
    assert [stage for stage in STAGES if "dcgmi" in _tools(stage)] == ["periodic"]


def test_slurms_clients_share_the_time_that_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A first call takes all of it; the next gets a second to be of use, and no more."""
    _program(tmp_path, "scontrol")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    began = time.monotonic()
    client = SlurmClient(until=began + 2)
    assert client.nodes("gpu-1") == ()
    assert client.scontrol("update", "NodeName=gpu-1", "State=DRAIN").rc != 0
    assert 3 <= time.monotonic() - began < 10
