"""What HyperPod's life-cycle script includes in slurm.conf wins over it in a real slurmctld."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import bedplate
from bedplate.slurm.hyperpod.cluster import partitions_file, settings_file
from bedplate.spec.slurm_parameters import ruling
from bedplate.spec.slurm_parameters.known import KNOWN
from tests.slurm.hyperpod.conftest import orchestrator
from tests.support.real_slurm.cluster import RealSlurm
from tests.support.real_slurm.config import PartitionLine
from tests.support.real_slurm.older import loadable

pytestmark = [
    pytest.mark.real("slurmctld", "munged"),
    pytest.mark.skipif(os.geteuid() != 0, reason="slurmd acts for other users only as root"),
]
INCLUDE = "Include bedplate.conf"


def _has(slurm: RealSlurm) -> dict[str, str]:
    rows = [line for line in slurm.run("scontrol", "show", "config").splitlines() if "=" in line]
    return {line.split("=", 1)[0].strip(): line.split("=", 1)[1].strip() for line in rows}


def test_the_included_settings_win_over_hyperpods(start_slurm: Callable[..., RealSlurm]) -> None:
    """By a line at the end that names the file alone; HyperPod's own scheduler parameter stays among ours."""
    script = Path(bedplate.__file__).parent / "constructs/hyperpod_life_cycle/on_create.sh"
    assert f"'\\n{INCLUDE}\\n'" in script.read_text(encoding="utf-8")
    slurm = start_slurm(nodes=1, settings={"KillWait": "30", "SchedulerParameters": "permit_job_expansion"})
    assert _has(slurm)["KillWait"] == "30 sec"
    rows = [line.split("=", 1) for line in settings_file(orchestrator()).splitlines()]
    text = "".join(f"{name}={value}\n" for name, value in loadable(dict(rows)).items())
    for folder in (slurm.conf.parent, *(slurm.conf.parent / node for node in slurm.nodes)):
        (folder / "bedplate.conf").write_text(text, encoding="utf-8")
    with slurm.conf.open("a", encoding="utf-8") as stream:
        stream.write(f"\n{INCLUDE}\n")
    slurm.run("scontrol", "reconfigure")
    has = _has(slurm)
    assert has["KillWait"] == "60 sec"
    assert {"permit_job_expansion", "bf_continue"} <= set(has["SchedulerParameters"].split(","))


def test_the_partitions_are_as_the_environment_file_has_them(
    start_slurm: Callable[..., RealSlurm], tmp_path: Path
) -> None:
    """From HyperPod's bare lines, of which ``dev`` is the default: default, limit, teams and parameters."""
    script = Path(bedplate.__file__).parent / "constructs/hyperpod_life_cycle/keep_partitions.sh"
    slurm = start_slurm(
        nodes=1, partitions=(PartitionLine("dev", {"Default": "YES"}), PartitionLine("train"))
    )
    own = {"PriorityTier": "10", "OverSubscribe": "EXCLUSIVE"}
    train = {"name": "train", "pools": ["h200"], "default": True, "max_time_hours": 72, "settings": own}
    told = partitions_file(orchestrator(partitions=[{**train, "teams": ["vision"]}]))
    (tmp_path / "opt/bedplate").mkdir(parents=True)
    (tmp_path / "opt/bedplate/partitions").write_text(told, encoding="utf-8")
    for _ in range(2):
        subprocess.run(
            ["bash", str(script)], env={**slurm.environment, "BEDPLATE_ROOT": str(tmp_path)}, check=True
        )
    shown = slurm.run("scontrol", "show", "partition", "train").split()
    wanted = {"Default=YES", "MaxTime=3-00:00:00", "AllowAccounts=vision,root", "PriorityTier=10"}
    assert wanted | {"OverSubscribe=EXCLUSIVE"} <= set(shown)
    assert "Default=NO" in slurm.run("scontrol", "show", "partition", "dev").split()


def test_slurm_takes_every_parameter_of_a_partition_that_is_let_through(
    start_slurm: Callable[..., RealSlurm],
) -> None:
    """What is free on HyperPod is none of those that ``scontrol update`` says it does not support."""
    slurm = start_slurm(nodes=1)
    refused = set()
    for name in KNOWN["queue"]:
        update = ["scontrol", "update", "PartitionName=train", f"{name}=1"]
        done = subprocess.run(update, env=slurm.environment, capture_output=True, text=True, check=False)
        if "Update of this parameter is not supported" in done.stderr:
            refused.add(name)
    assert {"SuspendTime", "SelectTypeParameters"} <= refused
    free = {
        name
        for name in KNOWN["queue"]
        if ruling(name, scope="queue", kind="slurm-hyperpod").standing != "service"
    }
    assert not free & refused
