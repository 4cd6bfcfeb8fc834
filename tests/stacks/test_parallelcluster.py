"""What a file with ``kind: slurm-parallelcluster`` becomes, held against ParallelCluster's own schema."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.pcluster.accept import ask

ROOT = Path(__file__).parents[2]
FILES = sorted(
    path
    for path in (ROOT / "environments").glob("*.yaml")
    if "kind: slurm-parallelcluster" in path.read_text(encoding="utf-8")
)
IDS = {
    "SubnetId": "subnet-0123456789abcdef0",
    "SubnetIds": "subnet-0123456789abcdef0",
    "SecurityGroups": "sg-0123456789abcdef0",
    "FileSystemId": "fs-0123456789abcdef0",
    "VolumeId": "fsvol-0123456789abcdef0",
    "CapacityReservationId": "cr-0123456789abcdef0",
    "Policy": "arn:aws:iam::123456789012:policy/parallelcluster/node",
    "Uri": "database.example.internal:3306",
    "PasswordSecretArn": "arn:aws:secretsmanager:us-west-2:123456789012:secret:slurm-Ab1",
}
"""Key → what CloudFormation would fill in there."""


def _filled_in(value: Any, key: str = "") -> Any:
    """The configuration as the provider gets it: ids in the place of intrinsic functions."""
    if isinstance(value, list):
        return [_filled_in(each, key) for each in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and next(iter(value)).startswith(("Fn::", "Ref")):
        return IDS.get(key, "filled-in")
    return {name: _filled_in(each, name) for name, each in value.items()}


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def given(request: pytest.FixtureRequest, assembly_of: Callable[[Path], Any]) -> Any:
    """Every example that ParallelCluster runs."""
    return assembly_of(request.param)


def _configuration(given: Any) -> dict[str, Any]:
    (cluster,) = given.resources("orchestration", "Custom::PclusterCluster").values()
    found: dict[str, Any] = _filled_in(cluster["Properties"]["ClusterConfiguration"])
    return found


def test_there_is_an_example() -> None:
    """A test over no file would say nothing."""
    assert FILES


@pytest.mark.real("pcluster")
def test_parallelcluster_takes_the_examples_configuration(given: Any) -> None:
    """Its own schema accepts what stands in the template, and reads every pool in its partition."""
    answer = ask(_configuration(given), name="bedplate-pcluster")
    assert answer["refused"] is None
    assert answer["queues"]


def test_the_database_is_kept_apart_from_the_cluster(given: Any) -> None:
    """It is in the stack of what must not be lost, and outlives it; the cluster names the whole of it."""
    (database,) = given.resources("storage", "AWS::RDS::DBCluster").values()
    assert database["DeletionPolicy"].startswith("Retain")
    assert database["Properties"]["DeletionProtection"] is True
    assert not given.resources("orchestration", "AWS::RDS::DBCluster")
    told = _configuration(given)["Scheduling"]["SlurmSettings"]["Database"]
    assert set(told) == {"Uri", "UserName", "PasswordSecretArn"}


def test_a_reservation_that_is_made_is_the_pools_target(given: Any) -> None:
    """In the placement group of its own, and no node of the pool is bought beside it."""
    (reservation,) = given.resources("orchestration", "AWS::EC2::CapacityReservation")
    (cluster,) = given.resources("orchestration", "Custom::PclusterCluster").values()
    resources = [
        each
        for queue in cluster["Properties"]["ClusterConfiguration"]["Scheduling"]["SlurmQueues"]
        for each in queue["ComputeResources"]
    ]
    targets = {each["Name"]: each.get("CapacityReservationTarget") for each in resources}
    assert targets == {
        "h200": None,
        "h200-own": {"CapacityReservationId": {"Fn::GetAtt": [reservation, "Id"]}},
        "h100": None,
    }
    placed = {each["Name"]: each["Networking"]["PlacementGroup"] for each in resources}
    assert placed["h200"] == {"Enabled": True}
    assert "Name" in placed["h200-own"]


def test_whoever_ends_nodes_ends_compute_nodes_of_this_cluster_alone(given: Any) -> None:
    """Cluster and kind of node are both asked for: the head and the login nodes are out of reach."""
    policies = given.resources("validation", "AWS::IAM::ManagedPolicy").values()
    ends = [
        statement
        for policy in policies
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]
        if statement["Action"] == ["ec2:TerminateInstances"]
    ]
    assert [json.dumps(each["Condition"]) for each in ends] == [
        json.dumps(
            {
                "StringEquals": {
                    "ec2:ResourceTag/parallelcluster:cluster-name": ["bedplate-pcluster"],
                    "ec2:ResourceTag/parallelcluster:node-type": ["Compute"],
                }
            }
        )
    ]


def test_the_head_alone_keeps_the_topology(given: Any) -> None:
    """It has the cluster's tag in its settings, and the right to ask where instances stand."""
    configuration = _configuration(given)
    assert {"TopologyPlugin": "topology/tree"} in configuration["Scheduling"]["SlurmSettings"][
        "CustomSlurmSettings"
    ]
    policies = given.resources("orchestration", "AWS::IAM::ManagedPolicy").items()
    asking = [key for key, policy in policies if "DescribeInstanceTopology" in json.dumps(policy)]
    (cluster,) = given.resources("orchestration", "Custom::PclusterCluster").values()
    written = cluster["Properties"]["ClusterConfiguration"]
    nodes = [written["HeadNode"], *written["LoginNodes"]["Pools"], *written["Scheduling"]["SlurmQueues"]]
    for node in nodes:
        keeps = "tag:parallelcluster:cluster-name=bedplate-pcluster" in json.dumps(node)
        assert keeps is (node is written["HeadNode"])
        named = [each["Policy"]["Ref"] for each in node["Iam"]["AdditionalIamPolicies"]]
        assert (named == asking) is keeps
