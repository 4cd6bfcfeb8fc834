"""What jobs get on a real Slurm with our settings: near nodes, their GPUs, a gap, and another start."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from bedplate.slurm.settings import cluster_settings
from tests.support.real_slurm.cluster import RealSlurm
from tests.support.real_slurm.config import without_hooks

from .conftest import PCS, Start

pytestmark = [
    pytest.mark.real("slurmctld", "munged"),
    pytest.mark.skipif(os.geteuid() != 0, reason="slurmd acts for other users only as root"),
    pytest.mark.slow,
    pytest.mark.timeout(240),
]
LEAVES = ({f"gpu-{number}" for number in range(1, 5)}, {f"gpu-{number}" for number in range(5, 9)})
TREE = """
SwitchName=leaf1 Nodes=gpu-[1-4]
SwitchName=leaf2 Nodes=gpu-[5-8]
SwitchName=spine Switches=leaf[1-2]
"""
RESTART_SECONDS = 60
"""29 s were seen with credentials of 20 s and 124 s with Slurm's 120; a busy machine gets some more."""


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file here named after a node is what its health check finds."""
    folder = tmp_path_factory.mktemp("health")
    folder.chmod(0o755)
    return folder


@pytest.fixture(scope="module")
def slurm(start_slurm: Start, faults: Path) -> RealSlurm:
    """Eight nodes under two leaves, with a health check that drains a node which a file names."""
    program = faults / "check.sh"
    health = {"HealthCheckProgram": str(program), "HealthCheckInterval": "2", "HealthCheckNodeState": "ANY"}
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    started = start_slurm(
        topology=TREE, settings={**without_hooks(cluster_settings(PCS, kind=PCS.kind)), **health}
    )
    # slurmd gives it its node's name, and nothing else of its environment.
    program.write_text(
        "#!/bin/sh\n"
        f'test -e "{faults}/$SLURMD_NODENAME" || exit 0\n'
        f'export PATH=/usr/bin:/bin SLURM_CONF="{started.conf}"\n'
        'scontrol update NodeName="$SLURMD_NODENAME" State=DRAIN Reason="bedplate GPU-001: 7 of 8 GPUs"\n'
    )
    return started


def test_a_job_lands_under_one_leaf_and_gets_its_gpus(slurm: RealSlurm) -> None:
    """Four of eight nodes are those of one leaf, and each task sees all eight GPUs of its node."""
    job = slurm.submit("srun printenv CUDA_VISIBLE_DEVICES; sleep 5", "-N4", "--gres=gpu:8")
    slurm.wait_job(job, "RUNNING")
    assert set(slurm.hosts(job)) in LEAVES
    slurm.wait_job(job, "COMPLETED")
    assert slurm.output(job).split() == ["0,1,2,3,4,5,6,7"] * 4


def test_a_short_job_passes_a_large_one_that_waits(slurm: RealSlurm) -> None:
    """Backfill fills the gap before the large job's start, and leaves alone what would delay it."""
    first = slurm.submit("sleep 300", "-N6", "--gres=gpu:8", "--time=10")
    slurm.wait_job(first, "RUNNING")
    large = slurm.submit("sleep 1", "-N8", "--gres=gpu:8", "--time=60")
    long = slurm.submit("sleep 300", "-N2", "--gres=gpu:8", "--time=600")
    short = slurm.submit("sleep 300", "-N2", "--gres=gpu:8", "--time=5")
    slurm.wait_job(short, "RUNNING", seconds=90)
    assert slurm.job(large)["JobState"] == slurm.job(long)["JobState"] == "PENDING"
    slurm.cancel_all()


def test_a_health_check_drains_and_undrain_brings_the_node_back(slurm: RealSlurm, faults: Path) -> None:
    """The reason names the check; once the fault is gone the node takes jobs again."""
    mark = faults / "gpu-3"
    mark.touch()
    drained = slurm.wait_node("gpu-3", lambda node: "DRAIN" in node["State"])
    assert drained["Reason"].startswith("bedplate GPU-001: 7 of 8 GPUs [")
    mark.unlink()
    slurm.run("scontrol", "update", "NodeName=gpu-3", "State=UNDRAIN")
    slurm.wait_node("gpu-3", lambda node: node["State"] == "IDLE")


def test_a_job_whose_node_is_lost_starts_again_in_time(slurm: RealSlurm) -> None:
    """It goes back to the queue by itself and runs on other nodes within the stated time."""
    job = slurm.submit("sleep 300", "-N2", "--gres=gpu:8")
    slurm.wait_job(job, "RUNNING")
    lost = slurm.hosts(job)[0]
    slurm.lose_node(lost)
    slurm.run("scontrol", "update", f"NodeName={lost}", "State=DOWN", "Reason=lost")
    began = time.monotonic()
    again = slurm.wait_job(job, "RUNNING", seconds=RESTART_SECONDS)
    while again["Restarts"] == "0" and time.monotonic() - began < RESTART_SECONDS:
        time.sleep(0.3)
        again = slurm.job(job)
    assert (again["JobState"], again["Restarts"]) == ("RUNNING", "1")
    assert lost not in slurm.hosts(job)
    slurm.cancel_all()
