"""What nodes are told about Enroot and Pyxis, and what they may fetch for them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bedplate.node.bootstrap.containers import Containers
from bedplate.spec.orchestrator import SlurmPcs
from bedplate.stacks.node_containers import container_objects, node_containers

ROOT = Path(__file__).parents[2]
PCS = "/opt/aws/pcs/scheduler/slurm-25.05"
LINES = "/etc/aws/pcs/scheduler/slurm-25.05/plugstack.conf.d/bedplate-pyxis.conf"


def _filled_in(value: Any) -> str:
    pieces = [value] if isinstance(value, str) else value["Fn::Join"][1]
    return "".join(piece if isinstance(piece, str) else "filled-in" for piece in pieces)


def test_pcs_nodes_are_told_of_their_slurm_and_of_every_object(case: Callable[[str], Any]) -> None:
    """Pools and login nodes alike: srun needs the plugin as slurmd does."""
    launched = case("closed-vpc").resources("orchestration", "AWS::EC2::LaunchTemplate")
    assert len(launched) == 2
    for template in launched.values():
        text = _filled_in(template["Properties"]["LaunchTemplateData"]["UserData"]["Fn::Base64"])
        (line,) = [line for line in text.splitlines() if line.startswith('{"version":')]
        told = Containers.from_data(json.loads(line)["containers"])
        assert (told.slurm, told.plugstack) == (PCS, LINES)
        assert [each.name for each in told.packages] == [
            "enroot_4.1.2-1_amd64.deb",
            "enroot+caps_4.1.2-1_amd64.deb",
        ]
        assert told.pyxis is not None
        assert (told.pyxis.uri, told.pyxis.sha256[0]) == ("s3://acme-mirror/pyxis-0.24.0.tar.gz", "c")


def test_pcs_nodes_may_fetch_these_objects_and_no_others(case: Callable[[str], Any]) -> None:
    """Each by its whole name; an environment without containers gives no such right."""
    found = case("closed-vpc").resources("orchestration", "AWS::IAM::ManagedPolicy").values()
    statements = [each for one in found for each in one["Properties"]["PolicyDocument"]["Statement"]]
    (right,) = [each for each in statements if each.get("Sid") == "FetchContainers"]
    assert right["Action"] == ["s3:GetObject"]
    assert right["Resource"] == [
        f"arn:aws:s3:::acme-mirror/{key}"
        for key in (
            "enroot/enroot_4.1.2-1_amd64.deb",
            "enroot/enroot+caps_4.1.2-1_amd64.deb",
            "pyxis-0.24.0.tar.gz",
        )
    ]


@pytest.fixture
def parallelcluster(assembly_of: Callable[[Path], Any]) -> Any:
    """The example, with the containers of ParallelCluster's image."""
    return assembly_of(ROOT / "environments/parallelcluster.yaml")


def test_the_head_of_parallelcluster_has_the_line_for_all(parallelcluster: Any) -> None:
    """Its slurmctld hands it out; the others are told of their Slurm alone, and nothing is fetched."""
    (cluster,) = parallelcluster.resources("orchestration", "Custom::PclusterCluster").values()
    head = cluster["Properties"]["ClusterConfiguration"]["HeadNode"]
    queues = cluster["Properties"]["ClusterConfiguration"]["Scheduling"]["SlurmQueues"]
    told = {
        settings["pool"]: Containers.from_data(settings["containers"])
        for node in (head, *queues)
        for each in node["CustomActions"]["OnNodeStart"]["Args"][5:]
        for settings in [json.loads(_filled_in(each))]
    }
    own = told.pop("head")
    assert own == Containers(slurm="/opt/slurm", plugstack="/opt/slurm/etc/plugstack.conf")
    assert told
    assert set(told.values()) == {Containers(slurm="/opt/slurm")}


def test_an_environment_without_containers_tells_and_allows_nothing() -> None:
    """As every environment file before there were any."""
    partition = {"name": "train", "pools": ["h200"]}
    slurm = SlurmPcs.model_validate({"kind": "slurm-pcs", "partitions": [partition]})
    assert node_containers(slurm, folder=PCS, plugstack=LINES) is None
    assert container_objects(slurm) == ()
