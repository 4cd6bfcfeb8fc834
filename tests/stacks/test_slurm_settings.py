"""The settings and teams of the environment file are in the templates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bedplate.node.account import Account
from bedplate.node.set_accounts import decode_teams

PROD = Path(__file__).resolve().parents[2] / "environments" / "prod-slurm.yaml"


@pytest.fixture
def prod(assembly_of: Callable[[Path], Any]) -> Any:
    """The example with teams."""
    return assembly_of(PROD)


def _settings(assembly: Any) -> dict[str, str]:
    """The parameters of the cluster in slurm.conf that the template gives to the service."""
    for cluster in assembly.resources("orchestration", "Custom::PclusterCluster").values():
        scheduling = cluster["Properties"]["ClusterConfiguration"]["Scheduling"]
        return {name: row[name] for row in scheduling["SlurmSettings"]["CustomSlurmSettings"] for name in row}
    for scripts in assembly.resources("orchestration", "Custom::BedplateHyperPodScripts").values():
        lines = scripts["Properties"]["Files"]["slurm-settings.conf"].splitlines()
        return dict(line.split("=", 1) for line in lines)
    (cluster,) = assembly.resources("orchestration", "AWS::PCS::Cluster").values()
    rows = cluster["Properties"]["SlurmConfiguration"]["SlurmCustomSettings"]
    return {row["ParameterName"]: row["ParameterValue"] for row in rows}


def test_the_cluster_has_our_settings(slurm_assembly: Any) -> None:
    """Backfill looks ahead, and a failed prolog holds no job."""
    settings = _settings(slurm_assembly)
    assert "nohold_on_prolog_fail" in settings["SchedulerParameters"]
    assert settings["PriorityWeightJobSize"] == "5000"


def test_teams_are_set_on_the_login_nodes(prod: Any) -> None:
    """One association, on the nodes of the login group, with the file's teams in its arguments."""
    associations = prod.resources("validation", "AWS::SSM::Association").values()
    (properties,) = [
        each["Properties"]
        for each in associations
        if each["Properties"]["Parameters"]["Arguments"][0].startswith("set-accounts ")
    ]
    (target,) = properties["Targets"]
    assert target["Key"] == "tag:aws:pcs:compute-node-group-id"
    (arguments,) = properties["Parameters"]["Arguments"]
    words = arguments.split()
    assert (words[0], words[-1]) == ("set-accounts", "25.11")
    assert decode_teams(words[2]) == [
        Account("pretraining", 3, None, ("alice", "bob")),
        Account("research", 1, 128, ("carol",)),
    ]


def test_partitions_have_their_limits(prod: Any) -> None:
    """A week as Slurm writes it."""
    (queue,) = prod.resources("orchestration", "AWS::PCS::Queue").values()
    rows = queue["Properties"]["SlurmConfiguration"]["SlurmCustomSettings"]
    assert {row["ParameterName"]: row["ParameterValue"] for row in rows} == {
        "Default": "YES",
        "MaxTime": "7-0",
    }


def test_without_teams_nothing_runs_on_login_nodes(demo: Any) -> None:
    """No association where the file has no teams."""
    assert demo.resources("validation", "AWS::SSM::Association") == {}
