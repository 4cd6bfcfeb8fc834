"""The node that runs slurmctld keeps Slurm's topology."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.bootstrap.step import StepFailedError
from bedplate.node.bootstrap.steps import keep_topology
from tests.node.bootstrap.hosts import Machine

HEAD = NodeSettings(
    environment="prod",
    pool="head",
    role="login",
    result_bucket="results",
    cluster_filter="tag:parallelcluster:cluster-name=bedplate-prod",
    region="us-west-2",
)
FILE = "opt/slurm/etc/topology.conf"
UNITS = "etc/systemd/system"


def test_the_file_is_there_before_slurmctld_and_a_timer_fills_it(tmp_path: Path) -> None:
    """An empty file, a service with the cluster's filter, and a timer that is started."""
    machine = Machine(tmp_path)
    assert keep_topology.STEP.run(machine.host, HEAD) == "wrote 2 files"
    assert (tmp_path / FILE).read_text() == ""
    service = (tmp_path / UNITS / keep_topology.SERVICE).read_text()
    assert (
        "set-topology --file /opt/slurm/etc/topology.conf --region us-west-2 "
        "--filter tag:parallelcluster:cluster-name=bedplate-prod\n" in service
    )
    assert "OnUnitActiveSec=10min" in (tmp_path / UNITS / keep_topology.TIMER).read_text()
    assert machine.runner.calls == [
        "systemctl daemon-reload",
        f"systemctl enable --now {keep_topology.TIMER}",
    ]


def test_what_the_timer_has_written_stays(tmp_path: Path) -> None:
    """A later boot writes neither the file nor the units again."""
    machine = Machine(tmp_path)
    keep_topology.STEP.run(machine.host, HEAD)
    (tmp_path / FILE).write_text("SwitchName=a Nodes=gpu-1\n")
    assert keep_topology.STEP.run(machine.host, HEAD) == "was there"
    assert (tmp_path / FILE).read_text() == "SwitchName=a Nodes=gpu-1\n"


def test_a_timer_that_systemd_does_not_take_fails(tmp_path: Path) -> None:
    """Nobody would hear that jobs are placed without regard to the network."""
    machine = Machine(tmp_path, {"systemctl enable": (1, "Unit is masked")})
    with pytest.raises(StepFailedError, match="Unit is masked"):
        keep_topology.STEP.run(machine.host, HEAD)


def test_other_nodes_keep_none() -> None:
    """Compute and login nodes, and every node of PCS, which has a topology of its own."""
    assert keep_topology.STEP.why_not(replace(HEAD, cluster_filter=""))
    assert not keep_topology.STEP.why_not(HEAD)
