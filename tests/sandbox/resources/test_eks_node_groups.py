"""EKS node groups: instances that become nodes, refusals, updates."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest

from tests.sandbox.resources.eks_stack import USER_DATA, eks_resources
from tests.sandbox.stand_in import StandIn

BLOCK = "cr-0000000000000eks1"


def running(stand_in: StandIn, cluster: str) -> list[dict[str, Any]]:
    """The instances of the group h200 that run."""
    filters = [
        {"Name": "tag:eks:cluster-name", "Values": [cluster]},
        {"Name": "tag:eks:nodegroup-name", "Values": ["h200"]},
        {"Name": "instance-state-name", "Values": ["running"]},
    ]
    reservations = stand_in.client("ec2").describe_instances(Filters=filters)["Reservations"]
    return [instance for reservation in reservations for instance in reservation["Instances"]]


def _data(resources: dict[str, Any]) -> dict[str, Any]:
    data: dict[str, Any] = resources["Template"]["Properties"]["LaunchTemplateData"]
    return data


def test_node_group_launches_and_boots_nodes(stand_in: StandIn) -> None:
    """The desired number runs in EC2 with EKS's tags and the cluster's group, and boots the script."""
    stack = stand_in.create(eks_resources(nodes=2))
    name = stack["StackName"]
    assert stack["StackStatus"] == "CREATE_COMPLETE", stand_in.reasons(name)
    instances = running(stand_in, name)
    assert [each["InstanceType"] for each in instances] == ["p5en.48xlarge"] * 2
    tags = {tag["Key"]: tag["Value"] for tag in instances[0]["Tags"]}
    assert tags["Name"] == "node"
    assert tags[f"kubernetes.io/cluster/{name}"] == "owned"
    eks = stand_in.client("eks")
    shared = eks.describe_cluster(name=name)["cluster"]["resourcesVpcConfig"]["clusterSecurityGroupId"]
    assert [each["GroupId"] for each in instances[0]["SecurityGroups"]] == [shared]
    booted = [stand_in.fleet.booted[each["InstanceId"]] for each in instances]
    assert {(each["user_data"], each["role"], each["slurm_name"]) for each in booted} == {
        (USER_DATA, "compute", None)
    }
    (principal,) = eks.list_access_entries(clusterName=name)["accessEntries"]
    entry = eks.describe_access_entry(clusterName=name, principalArn=principal)["accessEntry"]
    assert (entry["type"], principal) == (
        "EC2_LINUX",
        stand_in.client("iam").get_role(RoleName=stand_in.physical_id(name, "NodeRole"))["Role"]["Arn"],
    )
    group = eks.describe_nodegroup(clusterName=name, nodegroupName="h200")["nodegroup"]
    assert stand_in.physical_id(name, "Nodes") == f"{name}/h200"
    assert (group["version"], group["capacityType"], group["status"]) == ("1.35", "ON_DEMAND", "ACTIVE")
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_COMPLETE"
    assert running(stand_in, name) == []
    assert {each["InstanceId"] for each in instances} <= set(stand_in.fleet.terminated)


def test_size_changes_in_place_and_a_template_version_recycles(stand_in: StandIn) -> None:
    """More nodes leave those that run; another version of the template ends them all."""
    resources = eks_resources(nodes=1)
    stack = stand_in.create(resources)
    name = stack["StackName"]
    first = {each["InstanceId"] for each in running(stand_in, name)}
    resources["Nodes"]["Properties"]["ScalingConfig"]["DesiredSize"] = 3
    stand_in.update(name, resources)
    grown = {each["InstanceId"] for each in running(stand_in, name)}
    assert first < grown
    assert len(grown) == 3
    _data(resources)["TagSpecifications"][0]["Tags"][0]["Value"] = "renamed"
    assert stand_in.update(name, resources)["StackStatus"] == "UPDATE_COMPLETE"
    after = running(stand_in, name)
    assert len(after) == 3
    assert not grown & {each["InstanceId"] for each in after}
    assert {"Key": "Name", "Value": "renamed"} in after[0]["Tags"]


def test_another_image_type_under_another_name_replaces_the_group(stand_in: StandIn) -> None:
    """What is given at the making alone makes a new group, and the old one's nodes end."""
    resources = eks_resources(nodes=1)
    stack = stand_in.create(resources)
    name = stack["StackName"]
    resources["Nodes"]["Properties"]["AmiType"] = "AL2023_x86_64_STANDARD"
    assert stand_in.update(name, resources)["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert "NodeGroup already exists with name h200" in stand_in.reasons(name)
    resources["Nodes"]["Properties"]["NodegroupName"] = "other"
    assert stand_in.update(name, resources)["StackStatus"] == "UPDATE_COMPLETE"
    assert stand_in.client("eks").list_nodegroups(clusterName=name)["nodegroups"] == ["other"]
    assert running(stand_in, name) == []


def test_a_cluster_with_node_groups_is_not_deleted(stand_in: StandIn) -> None:
    """A stack that retains its node group cannot delete the cluster."""
    resources = eks_resources(nodes=0)
    resources["Nodes"]["DeletionPolicy"] = "Retain"
    stack = stand_in.create(resources)
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_FAILED"
    assert "Cluster has nodegroups attached" in stand_in.reasons(stack["StackId"])


def _without_cluster_group(resources: dict[str, Any]) -> None:
    resources["Own"] = {
        "Type": "AWS::EC2::SecurityGroup",
        "Properties": {"GroupDescription": "own", "VpcId": {"Ref": "Vpc"}},
    }
    _data(resources)["SecurityGroupIds"] = [{"Ref": "Own"}]


def _type_twice(resources: dict[str, Any]) -> None:
    resources["Nodes"]["Properties"]["InstanceTypes"] = ["p5en.48xlarge"]


def _block_without_market(resources: dict[str, Any]) -> None:
    resources["Nodes"]["Properties"]["CapacityType"] = "CAPACITY_BLOCK"


def _profile(resources: dict[str, Any]) -> None:
    _data(resources)["IamInstanceProfile"] = {"Name": "any"}


def _bare_script(resources: dict[str, Any]) -> None:
    _data(resources)["UserData"] = base64.b64encode(b"#!/bin/bash\ntrue\n").decode()


def _script_on_bottlerocket(resources: dict[str, Any]) -> None:
    resources["Nodes"]["Properties"]["AmiType"] = "BOTTLEROCKET_x86_64_NVIDIA"


def _other_architecture(resources: dict[str, Any]) -> None:
    resources["Nodes"]["Properties"]["AmiType"] = "AL2023_ARM_64_NVIDIA"


def _own_image(resources: dict[str, Any]) -> None:
    _data(resources)["ImageId"] = "ami-0123456789abcdef0"


def _other_zone(resources: dict[str, Any]) -> None:
    resources["Nodes"]["Properties"]["Subnets"] = [{"Ref": "One"}]


def _sizes(resources: dict[str, Any]) -> None:
    resources["Nodes"]["Properties"]["ScalingConfig"] = {"MinSize": 2, "DesiredSize": 1, "MaxSize": 2}


def _newer(resources: dict[str, Any]) -> None:
    resources["Nodes"]["Properties"]["Version"] = "1.36"


@pytest.mark.parametrize(
    ("spoil", "word"),
    [
        (_without_cluster_group, "without the cluster's own"),
        (_type_twice, "Cannot specify instance types in launch template and API request"),
        (_block_without_market, "CAPACITY_BLOCK needs MarketType capacity-block"),
        (_profile, "should not specify an instance profile"),
        (_bare_script, "not in the MIME multipart format"),
        (_script_on_bottlerocket, "not in the TOML format"),
        (_other_architecture, "not a valid instance type for AMI type AL2023_ARM_64_NVIDIA"),
        (_own_image, "goes not with an image in the launch template"),
        (_other_zone, "not offered in usw2-az1"),
        (_sizes, "are not in order"),
        (_newer, "1.36 is newer than the cluster's"),
    ],
)
def test_what_eks_refuses_fails_the_stack(
    stand_in: StandIn, spoil: Callable[[dict[str, Any]], None], word: str
) -> None:
    """Each thing that EKS or EC2 would refuse fails the stack, with the reason in its history."""
    resources = eks_resources(nodes=1)
    spoil(resources)
    stack = stand_in.create(resources)
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert word in stand_in.reasons(stack["StackName"])
    assert running(stand_in, stack["StackName"]) == []


def _in_block(*, nodes: int) -> dict[str, Any]:
    resources = eks_resources(nodes=nodes)
    resources["Nodes"]["Properties"]["CapacityType"] = "CAPACITY_BLOCK"
    _data(resources)["InstanceMarketOptions"] = {"MarketType": "capacity-block"}
    _data(resources)["CapacityReservationSpecification"] = {
        "CapacityReservationTarget": {"CapacityReservationId": BLOCK}
    }
    return resources


def _block(stand_in: StandIn, **changes: Any) -> None:
    row = {
        "InstanceType": "p5en.48xlarge",
        "AvailabilityZoneId": "usw2-az2",
        "State": "active",
        "TotalInstanceCount": 2,
        "ReservationType": "capacity-block",
    }
    stand_in.options(capacity_reservations={BLOCK: {**row, **changes}})


def test_a_block_holds_what_it_holds(stand_in: StandIn) -> None:
    """In another zone, or for more nodes than it has places, the group is refused; within it launches."""
    _block(stand_in, AvailabilityZoneId="usw2-az1")
    assert f"{BLOCK} in usw2-az1" in stand_in.reasons(stand_in.create(_in_block(nodes=1))["StackName"])
    _block(stand_in)
    reasons = stand_in.reasons(stand_in.create(_in_block(nodes=3))["StackName"])
    assert "has 2 places that fit, 3 are needed" in reasons
    stack = stand_in.create(_in_block(nodes=2))
    assert len(running(stand_in, stack["StackName"])) == 2
    stand_in.delete(stack)


def test_a_block_that_has_not_begun_launches_when_it_has(stand_in: StandIn) -> None:
    """The group stands without nodes and says why; once the block is active a change of size launches."""
    _block(stand_in, State="scheduled")
    stack = stand_in.create(_in_block(nodes=1))
    name, eks = stack["StackName"], stand_in.client("eks")
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    assert running(stand_in, name) == []
    health = eks.describe_nodegroup(clusterName=name, nodegroupName="h200")["nodegroup"]["health"]
    assert health["issues"][0]["message"] == f"{BLOCK} is scheduled"
    _block(stand_in)
    eks.update_nodegroup_config(clusterName=name, nodegroupName="h200", scalingConfig={"desiredSize": 2})
    assert len(running(stand_in, name)) == 2
    stand_in.delete(stack)


def test_a_full_block_is_not_recycled(stand_in: StandIn) -> None:
    """New nodes would need places beside the old ones: the size goes to 0 before."""
    _block(stand_in)
    resources = _in_block(nodes=2)
    stack = stand_in.create(resources)
    _data(resources)["TagSpecifications"][0]["Tags"][0]["Value"] = "renamed"
    assert stand_in.update(stack["StackName"], resources)["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert "the desired size must be 0" in stand_in.reasons(stack["StackName"])
    assert len(running(stand_in, stack["StackName"])) == 2
    stand_in.delete(stack)


def test_node_that_does_not_come_up_fails_the_stack(stand_in: StandIn) -> None:
    """A boot that fails fails the group, and no instance stays behind."""
    stand_in.fleet.boot_error = RuntimeError("no room")
    stack = stand_in.create(eks_resources(nodes=1))
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "no room" in stand_in.reasons(stack["StackName"])
    assert running(stand_in, stack["StackName"]) == []
