"""HyperPod clusters whose nodes join a cluster of EKS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.sandbox.resources.eks_stack import eks_cluster, role, subnet
from tests.sandbox.resources.hyperpod_stack import group, scripts
from tests.sandbox.resources.test_eks_charts import cluster_page
from tests.sandbox.stand_in import StandIn


def _resources(uri: str, *, nodes: int = 2) -> dict[str, Any]:
    workers = {
        **group(uri, "h200", "p5en.48xlarge", nodes),
        "ExecutionRole": {"Fn::GetAtt": ["HyperPodRole", "Arn"]},
        "NetworkInterface": {"InterfaceType": "efa-only"},
        "KubernetesConfig": {
            "Labels": {"pool": "h200"},
            "Taints": [{"Key": "nvidia.com/gpu", "Value": "true", "Effect": "NoSchedule"}],
        },
    }
    del workers["SlurmConfig"]
    return {
        **eks_cluster(),
        "HyperPodRole": role("sagemaker.amazonaws.com"),
        "HyperPod": {
            "Type": "AWS::SageMaker::Cluster",
            "Properties": {
                "ClusterName": {"Ref": "AWS::StackName"},
                "InstanceGroups": [workers],
                "VpcConfig": {
                    "SecurityGroupIds": [{"Fn::GetAtt": ["Cluster", "ClusterSecurityGroupId"]}],
                    "Subnets": [{"Ref": "Two"}],
                },
                "Orchestrator": {"Eks": {"ClusterArn": {"Fn::GetAtt": ["Cluster", "Arn"]}}},
                "NodeRecovery": "Automatic",
                "NodeProvisioningMode": "Continuous",
            },
        },
    }


def test_nodes_join_the_cluster_and_leave_it(stand_in: StandIn) -> None:
    """They boot by their life-cycle script as GPU nodes; a replaced one comes under another name."""
    stack = stand_in.create(_resources(scripts(stand_in)))
    name = stack["StackName"]
    assert stack["StackStatus"] == "CREATE_COMPLETE", stand_in.reasons(name)
    first, second = cluster_page(stand_in, name)["nodes"]
    assert first["name"] == f"hyperpod-{first['instance_id']}"
    assert first["labels"]["node.kubernetes.io/instance-type"] == "ml.p5en.48xlarge"
    assert (first["labels"]["pool"], first["taints"][0]["effect"]) == ("h200", "NoSchedule")
    booted = stand_in.fleet.booted[first["instance_id"]]
    assert (booted["role"], booted["slurm_name"]) == ("compute", None)
    stand_in.client("sagemaker").batch_replace_cluster_nodes(ClusterName=name, NodeIds=[first["instance_id"]])
    kept, new = cluster_page(stand_in, name)["nodes"]
    assert kept == second
    assert new["name"] not in (first["name"], second["name"])
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_COMPLETE"
    assert new["instance_id"] in stand_in.fleet.terminated


def test_an_addon_that_needs_its_nodes_comes_after_them(stand_in: StandIn) -> None:
    """Task governance becomes active once a HyperPod node is there."""
    resources = _resources(scripts(stand_in), nodes=1)
    resources["Governance"] = {
        "Type": "AWS::EKS::Addon",
        "DependsOn": ["HyperPod"],
        "Properties": {
            "ClusterName": {"Ref": "Cluster"},
            "AddonName": "amazon-sagemaker-hyperpod-taskgovernance",
        },
    }
    stack = stand_in.create(resources)
    assert stack["StackStatus"] == "CREATE_COMPLETE", stand_in.reasons(stack["StackName"])


def _no_cluster(resources: dict[str, Any]) -> None:
    arn = "arn:aws:eks:us-west-2:123456789012:cluster/none"
    resources["HyperPod"]["Properties"]["Orchestrator"] = {"Eks": {"ClusterArn": arn}}


def _config_map(resources: dict[str, Any]) -> None:
    resources["Cluster"]["Properties"]["AccessConfig"]["AuthenticationMode"] = "CONFIG_MAP"


def _second(resources: dict[str, Any]) -> None:
    properties = {**resources["HyperPod"]["Properties"], "ClusterName": "second"}
    resources["Second"] = {**resources["HyperPod"], "DependsOn": ["HyperPod"], "Properties": properties}


def _other_vpc(resources: dict[str, Any]) -> None:
    resources["Elsewhere"] = {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}}
    resources["Far"] = subnet(1, "az2")
    resources["Far"]["Properties"]["VpcId"] = {"Ref": "Elsewhere"}
    resources["HyperPod"]["Properties"]["VpcConfig"]["Subnets"] = [{"Ref": "Far"}]


@pytest.mark.parametrize(
    ("spoil", "word"),
    [
        (_no_cluster, "cluster/none does not exist"),
        (_config_map, "must have the authentication mode"),
        (_second, "already"),
        (_other_vpc, "where EKS cluster"),
    ],
)
def test_the_cluster_of_eks_must_fit(
    stand_in: StandIn, spoil: Callable[[dict[str, Any]], None], word: str
) -> None:
    """A cluster of EKS that is not there, does not let it in, or has one already."""
    resources = _resources(scripts(stand_in), nodes=1)
    spoil(resources)
    stack = stand_in.create(resources)
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert word in stand_in.reasons(stack["StackName"])
