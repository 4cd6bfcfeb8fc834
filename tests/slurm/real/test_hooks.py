"""The node's health check as prolog and health check of a real slurmd: jobs go elsewhere, drains are ours."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bedplate.node.bootstrap.places import SETTINGS
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.zipapp import build_node_zipapp
from bedplate.slurm.settings import cluster_settings
from tests.diagnosis import texts
from tests.support.real_slurm.cluster import RealSlurm

from .conftest import PCS, Start

pytestmark = [
    pytest.mark.real("slurmctld", "munged"),
    pytest.mark.skipif(os.geteuid() != 0, reason="slurmd acts for other users only as root"),
    pytest.mark.slow,
    pytest.mark.timeout(300),
]
NODES = 3

# slurmd begins the next turn while the last is at work, and turns here are seconds apart: on a busy machine
# they would only become more.
_ONE_AT_A_TIME = 'exec 9>"$BEDPLATE_ROOT/turn"\nflock -n 9 || exit 0\n'


class Hooked:
    """A cluster whose nodes each have a root of their own with the settings that a bootstrap leaves.

    SIMULATED: nvidia-smi, which prints as many GPUs as it is told; no other tool is there, which is told and
    makes no node sick.
    """

    def __init__(self, slurm: RealSlurm, folder: Path) -> None:
        self.slurm, self.folder = slurm, folder

    def gpus(self, node: str, count: int) -> None:
        """How many GPUs answer on a node from now on."""
        table = self.folder / node / "gpus.csv"
        partial = table.with_suffix(".new")
        partial.write_text(texts.gpu_table(gpus=count))
        partial.rename(table)

    def put_hooks(self, program: Path, conf: Path) -> None:
        """As the bootstrap does, with this host's Python and each node's own root."""
        for stage in ("prolog", "periodic"):
            script = self.folder / stage
            partial = script.with_name(f".{script.name}")
            partial.write_text(
                "#!/bin/sh\n"
                f'export BEDPLATE_ROOT="{self.folder}/$SLURMD_NODENAME" SLURM_CONF="{conf}"\n'
                'export PATH="$BEDPLATE_ROOT/bin:/usr/bin:/bin"\n'
                f"{_ONE_AT_A_TIME if stage == 'periodic' else ''}"
                f"exec {sys.executable} {program} health-check --stage {stage}\n"
            )
            partial.chmod(0o755)
            partial.rename(script)

    def quiet(self) -> None:
        """From now on the health check asks nothing; return once it has done so on each node, so that none
        that had begun before is still at work.
        """
        script = self.folder / "periodic"
        partial = script.with_name(".periodic")
        partial.write_text(f'#!/bin/sh\n: > "{self.folder}/$SLURMD_NODENAME/quiet"\n')
        partial.chmod(0o755)
        partial.rename(script)
        marks = [self.folder / f"gpu-{number}" / "quiet" for number in range(1, NODES + 1)]
        until = time.monotonic() + 60
        # On a busy machine a turn begins while those before it are still at work.
        while not all(mark.exists() for mark in marks) or self._at_work():
            assert time.monotonic() < until, "each node's health check has its turn"
            time.sleep(0.2)

    def _at_work(self) -> bool:
        pattern = f"{self.folder}/bedplate-node.pyz health-check --stage periodic"
        return subprocess.run(["pgrep", "-f", pattern], check=False, capture_output=True).returncode == 0

    def reason(self, node: str) -> str:
        """Slurm's reason for a drained node."""
        return self.slurm.wait_node(node, lambda found: "DRAIN" in found["State"])["Reason"]


@pytest.fixture(scope="module")
def hooked(start_slurm: Start, tmp_path_factory: pytest.TempPathFactory) -> Hooked:
    """Three nodes; slurm.conf has our settings with the hooks' places in this test's folder."""
    folder = tmp_path_factory.mktemp("hooks")
    for part in (folder, *folder.parents[:2]):
        part.chmod(0o755)
    for number in range(1, NODES + 1):
        root = folder / f"gpu-{number}"
        (root / "bin").mkdir(parents=True)
        settings = root / SETTINGS.lstrip("/")
        settings.parent.mkdir(parents=True)
        settings.write_text(
            NodeSettings(
                "test", "h200", "compute", "results", gpus=8, instance_type="p5en.48xlarge"
            ).to_json()
        )
        tool = root / "bin/nvidia-smi"
        tool.write_text(f'#!/bin/sh\nexec cat "{root}/gpus.csv"\n')
        tool.chmod(0o755)
    ours = cluster_settings(PCS, kind=PCS.kind)
    places = {
        "Prolog": f"{folder}/prolog",
        "HealthCheckProgram": f"{folder}/periodic",
        "HealthCheckInterval": "3",
    }
    assert set(places) <= set(ours), "the settings name the hooks"
    ours.pop("Epilog")
    made = Hooked(start_slurm(nodes=NODES, settings={**ours, **places}), folder)
    for number in range(1, NODES + 1):
        made.gpus(f"gpu-{number}", 8)
    return made


def test_1_a_node_without_its_hooks_is_drained_at_its_first_job(hooked: Hooked) -> None:
    """Slurm's own behaviour: hence the gate lets slurmd start only once the bootstrap has written them."""
    job = hooked.slurm.submit("true", "-N1", "--nodelist=gpu-1", "--gres=gpu:8")
    assert "Prolog error" in hooked.reason("gpu-1")
    hooked.slurm.run("scancel", job)
    hooked.slurm.run("scontrol", "update", "NodeName=gpu-1", "State=UNDRAIN")


def test_2_healthy_nodes_run_jobs_with_the_hooks(hooked: Hooked) -> None:
    """The prolog is part of each start, and nothing is drained; the health check has its turns meanwhile."""
    program = build_node_zipapp(output=hooked.folder / "bedplate-node.pyz")
    hooked.put_hooks(program, hooked.slurm.conf)
    job = hooked.slurm.submit("sleep 8", "-N3", "--gres=gpu:8")
    hooked.slurm.wait_job(job, "COMPLETED")
    assert not hooked.slurm.run("sinfo", "-h", "-t", "drain,down", "-o", "%N").strip()


def test_3_the_health_check_drains_a_node_that_loses_a_gpu(hooked: Hooked) -> None:
    """With the check's id, at its next turn; undrained, a node that is well takes jobs again."""
    hooked.gpus("gpu-2", 7)
    assert hooked.reason("gpu-2").startswith("bedplate GPU-001 (health check): ")
    hooked.gpus("gpu-2", 8)
    hooked.slurm.run("scontrol", "update", "NodeName=gpu-2", "State=UNDRAIN")
    job = hooked.slurm.submit("true", "-N3", "--gres=gpu:8")
    hooked.slurm.wait_job(job, "COMPLETED")


def test_4_a_job_is_not_started_on_a_sick_node(hooked: Hooked) -> None:
    """The prolog finds the lost GPU first: the job starts again elsewhere, and the reason is ours."""
    hooked.quiet()
    hooked.gpus("gpu-1", 7)
    job = hooked.slurm.submit("hostname", "-N1", "--gres=gpu:8", "--requeue")
    done = hooked.slurm.wait_job(job, "COMPLETED", seconds=120)
    assert hooked.slurm.hosts(job) != ["gpu-1"]
    assert int(done["Restarts"]) >= 1
    assert hooked.reason("gpu-1").startswith("bedplate GPU-001 (health check): ")
