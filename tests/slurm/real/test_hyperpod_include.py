"""What HyperPod's life-cycle script includes in slurm.conf wins over it in a real slurmctld."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import bedplate
from bedplate.slurm.hyperpod.cluster import settings_file
from tests.slurm.hyperpod.conftest import orchestrator
from tests.support.real_slurm.cluster import RealSlurm
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
