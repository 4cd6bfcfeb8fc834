"""The EKS API and that of Auto Scaling, as far as they are played."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.sandbox.resources.eks_stack import eks_resources
from tests.sandbox.stand_in import StandIn


@pytest.fixture
def cluster(stand_in: StandIn) -> str:
    """The name of a cluster with one group of one node."""
    stack = stand_in.create(eks_resources(nodes=1))
    assert stack["StackStatus"] == "CREATE_COMPLETE", stand_in.reasons(stack["StackName"])
    return str(stack["StackName"])


def _instances(stand_in: StandIn, cluster: str) -> list[dict[str, Any]]:
    group = stand_in.client("eks").describe_nodegroup(clusterName=cluster, nodegroupName="h200")["nodegroup"]
    (name,) = group["resources"]["autoScalingGroups"]
    rows = stand_in.client("autoscaling").describe_auto_scaling_instances()["AutoScalingInstances"]
    return [row for row in rows if row["AutoScalingGroupName"] == name["name"]]


def test_an_instance_that_is_ended_is_replaced(stand_in: StandIn, cluster: str) -> None:
    """By Auto Scaling's call as by EC2's; where the size goes down with it, none comes."""
    (first,) = _instances(stand_in, cluster)
    scaling = stand_in.client("autoscaling")
    answer = scaling.terminate_instance_in_auto_scaling_group(
        InstanceId=first["InstanceId"], ShouldDecrementDesiredCapacity=False
    )
    assert answer["Activity"]["StatusCode"] == "InProgress"
    (second,) = _instances(stand_in, cluster)
    assert second["InstanceId"] != first["InstanceId"]
    assert first["InstanceId"] in stand_in.fleet.terminated
    stand_in.client("ec2").terminate_instances(InstanceIds=[second["InstanceId"]])
    (third,) = _instances(stand_in, cluster)
    assert third["InstanceId"] != second["InstanceId"]
    scaling.terminate_instance_in_auto_scaling_group(
        InstanceId=third["InstanceId"], ShouldDecrementDesiredCapacity=True
    )
    assert _instances(stand_in, cluster) == []
    with pytest.raises(ClientError, match="No managed instance found"):
        scaling.terminate_instance_in_auto_scaling_group(
            InstanceId=first["InstanceId"], ShouldDecrementDesiredCapacity=False
        )


def test_settings_of_a_node_group_change(stand_in: StandIn, cluster: str) -> None:
    """Size, labels and repair are taken over, and what is not named stays."""
    eks = stand_in.client("eks")
    eks.update_nodegroup_config(
        clusterName=cluster,
        nodegroupName="h200",
        scalingConfig={"desiredSize": 2},
        labels={"addOrUpdateLabels": {"team": "a"}},
        nodeRepairConfig={"enabled": True, "maxUnhealthyNodeThresholdCount": 1},
    )
    group = eks.describe_nodegroup(clusterName=cluster, nodegroupName="h200")["nodegroup"]
    assert group["scalingConfig"] == {"minSize": 0, "maxSize": 4, "desiredSize": 2}
    assert group["labels"] == {"pool": "h200", "team": "a"}
    assert group["nodeRepairConfig"] == {"enabled": True, "maxUnhealthyNodeThresholdCount": 1}
    assert len(group["taints"]) == 1
    assert len(_instances(stand_in, cluster)) == 2


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"scalingConfig": {"desiredSize": 9}}, "not in order"),
        (
            {
                "nodeRepairConfig": {
                    "maxParallelNodesRepairedCount": 1,
                    "maxParallelNodesRepairedPercentage": 5,
                }
            },
            "exclude each other",
        ),
        ({"nodeRepairConfig": {"nodeRepairConfigOverrides": [{"repairAction": "Reboot"}]}}, "override"),
        ({"warmPoolConfig": {"enabled": True}}, "SBX-018"),
    ],
)
def test_a_wrong_change_is_refused(
    stand_in: StandIn, cluster: str, change: dict[str, Any], word: str
) -> None:
    """And leaves the group as it was."""
    eks = stand_in.client("eks")
    before = eks.describe_nodegroup(clusterName=cluster, nodegroupName="h200")["nodegroup"]
    with pytest.raises(ClientError, match=word):
        eks.update_nodegroup_config(clusterName=cluster, nodegroupName="h200", **change)
    assert eks.describe_nodegroup(clusterName=cluster, nodegroupName="h200")["nodegroup"] == before


def test_addon_versions_name_their_cluster_versions(stand_in: StandIn) -> None:
    """One add-on for one version of Kubernetes."""
    told = stand_in.client("eks").describe_addon_versions(addonName="vpc-cni", kubernetesVersion="1.35")
    (addon,) = told["addons"]
    (version,) = addon["addonVersions"]
    assert version["compatibilities"] == [
        {"clusterVersion": "1.35", "platformVersions": ["*"], "defaultVersion": True}
    ]


@pytest.mark.parametrize("service", ["eks", "autoscaling"])
def test_what_nobody_plays_is_an_error(stand_in: StandIn, service: str) -> None:
    """An operation outside the table never reaches moto's own play of the service."""
    client = stand_in.client(service)
    ask = client.list_eks_anywhere_subscriptions if service == "eks" else client.describe_policies
    with pytest.raises(ClientError, match="SBX-010"):
        ask()


def test_a_cluster_that_is_not_there_is_not_found(stand_in: StandIn) -> None:
    """By EKS's own code."""
    with pytest.raises(ClientError, match=r"ResourceNotFoundException.*No cluster found for name: none"):
        stand_in.client("eks").describe_cluster(name="none")
