"""What nodes are told about their metrics, and what they may do for them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.node.bootstrap.collection import Collection
from bedplate.spec.collection import NoCollection
from bedplate.spec.observability import Observability

ROOT = Path(__file__).parents[2]
NAME = "node_exporter-1.9.1.linux-amd64.tar.gz"
PACKAGE = {"uri": f"s3://acme-mirror/metrics/{NAME}", "sha256": "a" * 64}
SLURM = {"pcs": "login", "parallelcluster": "head", "hyperpod": "controller"}
"""Orchestrator → the nodes that tell what Slurm says."""


@pytest.fixture(params=sorted(SLURM))
def collecting(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    case: Callable[[str], Any],
    assembly_of: Callable[[Path], Any],
) -> tuple[str, Any]:
    """An environment whose nodes collect, by its orchestrator."""
    kind = request.param
    if kind == "pcs":
        return kind, case("closed-vpc")
    data = yaml.safe_load((ROOT / f"environments/{kind}.yaml").read_text())
    data.setdefault("observability", {})["collection"] = {"kind": "packages", "packages": [PACKAGE]}
    path = tmp_path / f"{kind}-collecting.yaml"
    path.write_text(yaml.safe_dump(data, sort_keys=False))
    return kind, assembly_of(path)


def _filled_in(value: Any) -> str:
    """Tokens are other stacks' outputs; the endpoint ends with a slash."""
    pieces = [value] if isinstance(value, str) else value["Fn::Join"][1]
    return "".join(piece if isinstance(piece, str) else "https://filled-in/" for piece in pieces)


def _settings(kind: str, made: Any) -> dict[str, Collection]:
    """Name of the pool, or of what stands beside the pools → what such nodes are told."""
    if kind == "pcs":
        found = made.resources("orchestration", "AWS::EC2::LaunchTemplate").values()
        data = [each["Properties"]["LaunchTemplateData"]["UserData"]["Fn::Base64"] for each in found]
    elif kind == "parallelcluster":
        (cluster,) = made.resources("orchestration", "Custom::PclusterCluster").values()
        told = cluster["Properties"]["ClusterConfiguration"]
        nodes = (told["HeadNode"], *told["Scheduling"]["SlurmQueues"])
        data = [each for node in nodes for each in node["CustomActions"]["OnNodeStart"]["Args"][5:]]
    else:
        (folder,) = made.resources("orchestration", "Custom::BedplateHyperPodScripts").values()
        files = folder["Properties"]["Files"]
        data = [files[name] for name in files if name.startswith("settings-")]
    lines = [line for each in data for line in _filled_in(each).splitlines()]
    told = [json.loads(line) for line in lines if line.startswith('{"version":')]
    return {each["pool"]: Collection.from_data(each["collection"]) for each in told}


@pytest.mark.slow
def test_nodes_are_told_where_and_may_write_there_alone(collecting: tuple[str, Any]) -> None:
    """The workspace of the observability stack, by which orchestrator ever; one right, one resource."""
    kind, made = collecting
    settings = _settings(kind, made)
    assert len(settings) >= 2
    for name, told in settings.items():
        assert told.url.endswith("/api/v1/remote_write"), name
        assert [each.name for each in told.packages] == [NAME]
        assert told.slurm == (name == SLURM[kind])
    policies = made.resources("orchestration", "AWS::IAM::ManagedPolicy").values()
    statements = [each for one in policies for each in one["Properties"]["PolicyDocument"]["Statement"]]
    rights = [each for each in statements if "aps:RemoteWrite" in each["Action"]]
    assert len(rights) == {"pcs": 1, "parallelcluster": 2, "hyperpod": 2}[kind]
    for right in rights:
        assert right["Action"] in (["aps:RemoteWrite"], "aps:RemoteWrite")
        assert "*" not in json.dumps(right["Resource"])
    assert f"arn:aws:s3:::acme-mirror/metrics/{NAME}" in json.dumps(statements)


def test_a_closed_network_leads_to_the_workspace(case: Callable[[str], Any]) -> None:
    """Nothing else would: the agent would keep what it cannot send, and drop it in the end."""
    endpoints = case("closed-vpc").resources("network", "AWS::EC2::VPCEndpoint").values()
    names = [each["Properties"]["ServiceName"] for each in endpoints]
    assert "com.amazonaws.us-west-2.aps-workspaces" in names


def test_by_default_nothing_is_collected() -> None:
    """A file of before stays as it is."""
    assert Observability().collection == NoCollection(kind="none")


@pytest.mark.parametrize("uri", ["s3://acme-mirror/node_exporter", "https://example.com/a.deb"])
def test_what_is_no_package_and_no_archive_is_refused(uri: str) -> None:
    """A node could not install it."""
    with pytest.raises(ValueError, match="pattern"):
        Observability.model_validate(
            {"collection": {"kind": "packages", "packages": [{**PACKAGE, "uri": uri}]}}
        )
