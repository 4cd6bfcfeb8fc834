"""HyperPod under EKS in the stand-in: the document's cluster comes up, changes and goes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bedplate.kubernetes.hyperpod.cluster import cluster
from bedplate.sandbox.resources.hyperpod_refusals import problems
from tests.kubernetes.hyperpod.conftest import AROUND, RANGE, made, orchestrator
from tests.sandbox.resources.eks_stack import eks_cluster, subnet
from tests.sandbox.resources.eks_stack import role as role_of
from tests.sandbox.resources.hyperpod_stack import OUTPUTS, hyperpod_resources, scripts
from tests.sandbox.stand_in import StandIn, outputs
from tests.slurm.pools import pool

SCALED = orchestrator(karpenter=True, tiered_storage_percent=20)


def _resources(uri: str, *, nodes: int) -> dict[str, Any]:
    """The Slurm stack's surroundings with our document in the cluster's place."""
    found = hyperpod_resources(uri)
    around = replace(AROUND, scripts_uri=uri, on_create="on_create.sh")
    wanted = cluster(SCALED, pools=[pool(nodes=nodes), pool(name="burst", nodes=RANGE)], around=around)
    vpc = found["Cluster"]["Properties"]["VpcConfig"]
    role = {"Fn::GetAtt": ["Role", "Arn"]}
    groups = [{**each, "OverrideVpcConfig": vpc, "ExecutionRole": role} for each in wanted["InstanceGroups"]]
    properties = {
        **wanted,
        "Orchestrator": {"Eks": {"ClusterArn": {"Fn::GetAtt": ["Eks", "Arn"]}}},
        "ClusterName": {"Ref": "AWS::StackName"},
        "InstanceGroups": groups,
        "VpcConfig": vpc,
        "ClusterRole": role,
    }
    eks = eks_cluster()["Cluster"]
    network = {**eks["Properties"]["ResourcesVpcConfig"], "SubnetIds": [{"Ref": "Subnet"}, {"Ref": "Other"}]}
    eks["Properties"] |= {
        "ResourcesVpcConfig": network,
        "RoleArn": {"Fn::GetAtt": ["ControlRole", "Arn"]},
    }
    return {
        **found,
        "Other": subnet(1, "az1"),
        "ControlRole": role_of("eks.amazonaws.com"),
        "Eks": eks,
        "Cluster": {"Type": "AWS::SageMaker::Cluster", "Properties": properties},
    }


def _nodes(stand_in: StandIn, arn: str) -> dict[str, str]:
    told = stand_in.client("sagemaker").list_cluster_nodes(ClusterName=arn, MaxResults=100)
    return {each["InstanceId"]: each["InstanceGroupName"] for each in told["ClusterNodeSummaries"]}


def test_the_cluster_comes_up_grows_and_goes(stand_in: StandIn) -> None:
    """Nodes of the pool with one number; none of the one that Karpenter scales; no Slurm on any."""
    uri = scripts(stand_in)
    stack = stand_in.create(_resources(uri, nodes=2), Outputs=OUTPUTS)
    assert stack["StackStatus"] == "CREATE_COMPLETE", stand_in.reasons(stack["StackName"])
    arn = outputs(stack)["Arn"]
    first = _nodes(stand_in, arn)
    assert list(first.values()) == ["h200", "h200"]
    assert {stand_in.fleet.booted[each]["slurm_name"] for each in first} == {None}
    told = stand_in.client("sagemaker").describe_cluster(ClusterName=arn)
    assert told["Orchestrator"]["Eks"]["ClusterArn"].endswith(f":cluster/{stack['StackName']}")
    changed = stand_in.update(stack["StackName"], _resources(uri, nodes=3), Outputs=OUTPUTS)
    assert changed["StackStatus"] == "UPDATE_COMPLETE", stand_in.reasons(stack["StackName"])
    nodes = _nodes(stand_in, arn)
    assert set(first) < set(nodes)
    assert list(nodes.values()) == ["h200"] * 3
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_COMPLETE"
    assert set(nodes) <= set(stand_in.fleet.terminated)


def test_nothing_of_the_document_is_refused() -> None:
    """By what the stand-in knows of HyperPod's refusals."""
    assert problems(made(pool(), pool(name="burst", nodes=RANGE), eks=SCALED)) == []


@pytest.mark.parametrize(
    ("group", "changes", "words"),
    [
        ({"SlurmConfig": {"NodeType": "Compute"}}, {}, "SlurmConfig"),
        ({"LifeCycleConfig": {}}, {}, "a life-cycle script"),
        ({}, {"ClusterRole": None}, "ClusterRole"),
        ({}, {"NodeProvisioningMode": None}, "NodeProvisioningMode Continuous"),
    ],
)
def test_what_hyperpod_asks_for_under_eks_is_asked_for(
    group: dict[str, Any], changes: dict[str, Any], words: str
) -> None:
    """No type of Slurm node, a script, and for Karpenter a role and continuous provisioning."""
    good = made(pool(), pool(name="burst", nodes=RANGE), eks=SCALED)
    spoiled = {**good, **changes, "InstanceGroups": [{**each, **group} for each in good["InstanceGroups"]]}
    found = problems({key: value for key, value in spoiled.items() if value is not None})
    assert any(words in each for each in found), found


def test_what_only_eks_has_is_refused_with_slurm() -> None:
    """Labels, taints, Karpenter."""
    good = made(pool(), pool(name="burst", nodes=RANGE), eks=SCALED)
    found = problems({**good, "Orchestrator": {"Slurm": {}}})
    assert any("KubernetesConfig" in each for each in found)
    assert any("AutoScaling" in each for each in found)
