"""The job's IMEX domain, made and taken away by prolog and epilog of a real slurmd on each node."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from bedplate.node.bootstrap.places import SETTINGS
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.zipapp import build_node_zipapp
from bedplate.slurm.settings import cluster_settings
from tests.support.real_slurm.cluster import RealSlurm

from .conftest import PCS, Start

pytestmark = [
    pytest.mark.real("slurmctld", "munged"),
    pytest.mark.skipif(os.geteuid() != 0, reason="slurmd acts for other users only as root"),
    pytest.mark.slow,
    pytest.mark.timeout(400),
]
NODES = 3
STAND_IN = Path(__file__).parent / "stand_in_imex.py"


class Domains:
    """A cluster whose nodes each have a root of their own with the settings of an UltraServer's node.

    SIMULATED: nvidia-imex (``stand_in_imex``); no other tool of a GPU node is there, which is told and makes
    no node sick.
    """

    def __init__(self, slurm: RealSlurm, folder: Path) -> None:
        self.slurm, self.folder = slurm, folder

    def peers(self, node: str) -> list[str]:
        """What the node's list holds now."""
        return (self.folder / node / "etc/nvidia-imex/nodes_config.cfg").read_text().split()

    def runs(self, node: str) -> bool:
        """Whether the node's service runs."""
        return (self.folder / node / "running").exists()

    def address(self, node: str) -> str:
        """The node's, as Slurm knows it."""
        return self.slurm.node(node)["NodeAddr"]

    def wait_idle(self, node: str) -> None:
        """Until the epilog has ended."""
        self.slurm.wait_node(node, lambda found: found["State"] == "IDLE")

    def drained(self) -> str:
        """The names of the nodes that are."""
        return self.slurm.run("sinfo", "-h", "-t", "drain,down", "-o", "%N").strip()


def _lay_out(folder: Path) -> None:
    """What the bootstrap leaves, and the played service beside it."""
    for number in range(1, NODES + 1):
        root = folder / f"gpu-{number}"
        for place in ("bin", "etc/nvidia-imex", "dev/nvidia-caps-imex-channels"):
            (root / place).mkdir(parents=True)
        (root / "etc/nvidia-imex/config.cfg").write_text("SERVER_PORT=50000\n")
        (root / "dev/nvidia-caps-imex-channels/channel0").touch()
        settings = root / SETTINGS.lstrip("/")
        settings.parent.mkdir(parents=True)
        kind = "p6e-gb200.36xlarge"
        settings.write_text(
            NodeSettings(
                "test", "ultra", "compute", "results", gpus=4, instance_type=kind, imex=True
            ).to_json()
        )
        for name in ("systemctl", "nvidia-imex-ctl"):
            tool = root / "bin" / name
            tool.write_text(
                f'#!/bin/sh\nexec {sys.executable} {STAND_IN} "{folder}" gpu-{number} {name} "$@"\n'
            )
            tool.chmod(0o755)


@pytest.fixture(scope="module")
def domains(start_slurm: Start, tmp_path_factory: pytest.TempPathFactory) -> Domains:
    """Three nodes; slurm.conf has our settings with the hooks' places in this test's folder."""
    folder = tmp_path_factory.mktemp("imex")
    for part in (folder, *folder.parents[:2]):
        part.chmod(0o755)
    _lay_out(folder)
    program = build_node_zipapp(output=folder / "bedplate-node.pyz")
    ours = cluster_settings(PCS, kind=PCS.kind)
    assert "Alloc" in ours["PrologFlags"].split(","), "all prologs run at the start of the job"
    places = {"Prolog": f"{folder}/prolog", "Epilog": f"{folder}/epilog"}
    for stage, path in (("prolog", places["Prolog"]), ("epilog", places["Epilog"])):
        Path(path).write_text(
            "#!/bin/sh\n"
            f'export BEDPLATE_ROOT="{folder}/$SLURMD_NODENAME" SLURM_CONF="$(cat {folder}/conf)"\n'
            'export PATH="$BEDPLATE_ROOT/bin:/usr/bin:/bin"\n'
            f"exec {sys.executable} {program} health-check --stage {stage}"
            f' 2>>"{folder}/$SLURMD_NODENAME/{stage}.log"\n'
        )
        Path(path).chmod(0o755)
    for name in ("HealthCheckProgram", "HealthCheckInterval", "HealthCheckNodeState"):
        ours.pop(name)
    made = Domains(start_slurm(nodes=NODES, settings={**ours, **places}), folder)
    (folder / "conf").write_text(str(made.slurm.conf))
    names = [f"gpu-{number}" for number in range(1, NODES + 1)]
    (folder / "addresses.json").write_text(json.dumps({made.address(name): name for name in names}))
    return made


def test_1_a_job_of_two_nodes_runs_in_a_domain_of_both(domains: Domains) -> None:
    """It is up when the job's first line runs, and gone after the job, also for its last node."""
    ask = f"{domains.folder}/gpu-1/bin/nvidia-imex-ctl -N -j"
    job = domains.slurm.submit(ask, "-N2", "--exclusive", "--nodelist=gpu-[1-2]")
    domains.slurm.wait_job(job, "COMPLETED")
    said = json.loads(domains.slurm.output(job))
    assert said["status"] == "UP"
    assert [node["host"] for node in said["nodes"].values()] == [
        domains.address("gpu-1"),
        domains.address("gpu-2"),
    ]
    for node in ("gpu-1", "gpu-2"):
        domains.wait_idle(node)
        assert (domains.peers(node), domains.runs(node)) == ([], False)
    assert domains.drained() == ""


def test_2_a_job_that_shares_its_node_runs_without(domains: Domains) -> None:
    """Slurm says of it that it does; nothing is started for it."""
    job = domains.slurm.submit("sleep 3", "-N1", "--nodelist=gpu-3", "--gres=gpu:1")
    domains.slurm.wait_job(job, "RUNNING")
    assert not domains.runs("gpu-3")
    domains.slurm.wait_job(job, "COMPLETED")
    assert "the job shares its nodes" in (domains.folder / "gpu-3/prolog.log").read_text()
    assert domains.drained() == ""


def test_3_where_a_service_does_not_start_the_job_starts_elsewhere(domains: Domains) -> None:
    """That node is drained with our reason, its peer is not; the job's second start has its domain."""
    (domains.folder / "gpu-2/refuses").touch()
    ask = f"{domains.folder}/gpu-1/bin/nvidia-imex-ctl -N -j"
    job = domains.slurm.submit(ask, "-N2", "--exclusive", "--requeue")
    done = domains.slurm.wait_job(job, "COMPLETED", seconds=240)
    assert domains.slurm.hosts(job) == ["gpu-1", "gpu-3"]
    assert int(done["Restarts"]) >= 1
    assert json.loads(domains.slurm.output(job))["status"] == "UP"
    assert domains.drained() == "gpu-2"
    assert domains.slurm.node("gpu-2")["Reason"].startswith(
        "bedplate IMX-001 (IMEX): nvidia-imex does not start: Job for nvidia-imex.service failed."
    )
