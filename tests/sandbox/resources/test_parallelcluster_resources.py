"""ParallelCluster's provider and its clusters, as the sandbox plays them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from tests.sandbox.stand_in import StandIn, outputs

URL = (
    "https://us-west-2-aws-parallelcluster.s3.us-west-2.amazonaws.com"
    "/parallelcluster/3.16.1/templates/custom_resource/cluster.yaml"
)
BUCKET = "scripts-of-nodes"
SCRIPT = f"s3://{BUCKET}/node.sh"
OUTPUTS = {"Head": {"Value": {"Fn::GetAtt": ["Cluster", "headNode.instanceId"]}}}


def _node(subnet: dict[str, Any], **more: Any) -> dict[str, Any]:
    actions = {name: {"Script": SCRIPT, "Args": [name]} for name in ("OnNodeStart", "OnNodeConfigured")}
    return {
        "Networking": {**subnet, "SecurityGroups": [{"Fn::GetAtt": ["Group", "GroupId"]}]},
        "Iam": {"AdditionalIamPolicies": [{"Policy": {"Ref": "Policy"}}]},
        "CustomActions": actions,
        **more,
    }


def _resources(*, least: int = 2) -> dict[str, Any]:
    one, many = {"SubnetId": {"Ref": "Subnet"}}, {"SubnetIds": [{"Ref": "Subnet"}]}
    resource = {
        "Name": "h200",
        "InstanceType": "p5en.48xlarge",
        "MinCount": least,
        "MaxCount": 4,
    }
    configuration = {
        "Region": "us-west-2",
        "HeadNode": _node(one, InstanceType="m7i.xlarge"),
        "LoginNodes": {"Pools": [_node(many, Name="login", InstanceType="m7i.xlarge", Count=1)]},
        "Scheduling": {
            "SlurmQueues": [_node(many, Name="train", CapacityType="ONDEMAND", ComputeResources=[resource])]
        },
    }
    policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
    return {
        "Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.9.0.0/16"}},
        "Subnet": {
            "Type": "AWS::EC2::Subnet",
            "Properties": {"VpcId": {"Ref": "Vpc"}, "CidrBlock": "10.9.0.0/20"},
        },
        "Group": {
            "Type": "AWS::EC2::SecurityGroup",
            "Properties": {"GroupDescription": "fabric", "VpcId": {"Ref": "Vpc"}},
        },
        "Policy": {"Type": "AWS::IAM::ManagedPolicy", "Properties": {"PolicyDocument": policy}},
        "Provider": {"Type": "AWS::CloudFormation::Stack", "Properties": {"TemplateURL": URL}},
        "Cluster": {
            "Type": "Custom::PclusterCluster",
            "Properties": {
                "ServiceToken": {"Fn::GetAtt": ["Provider", "Outputs.ServiceToken"]},
                "ClusterName": "research",
                "ClusterConfiguration": configuration,
            },
        },
    }


@pytest.fixture
def account(stand_in: StandIn) -> Iterator[StandIn]:
    """An account whose bucket holds the nodes' script; a test's stacks go with it."""
    s3, api = stand_in.client("s3"), stand_in.client("cloudformation")
    if BUCKET not in {each["Name"] for each in s3.list_buckets()["Buckets"]}:
        s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
        s3.put_object(Bucket=BUCKET, Key="node.sh", Body=b"#!/bin/bash\n")
    yield stand_in
    for stack in api.describe_stacks()["Stacks"]:
        stand_in.delete(stack)


def _tags(account: StandIn) -> dict[str, dict[str, str]]:
    """Instance of a ParallelCluster that runs → its tags; other tests may have left instances of others."""
    found = account.client("ec2").describe_instances(
        Filters=[
            {"Name": "instance-state-name", "Values": ["running"]},
            {"Name": "tag-key", "Values": ["parallelcluster:cluster-name"]},
        ]
    )
    return {
        one["InstanceId"]: {tag["Key"]: tag["Value"] for tag in one["Tags"]}
        for each in found["Reservations"]
        for one in each["Instances"]
    }


def test_a_cluster_has_a_head_login_nodes_and_what_its_queues_need_at_least(account: StandIn) -> None:
    """Each with ParallelCluster's tags; compute nodes have the names of static nodes, in their partition."""
    stack = account.create(_resources(), Outputs=OUTPUTS)
    assert stack["StackStatus"] == "CREATE_COMPLETE", account.reasons(stack["StackName"])
    tags = _tags(account)
    assert {each["parallelcluster:cluster-name"] for each in tags.values()} == {"research"}
    kinds = sorted(each["parallelcluster:node-type"] for each in tags.values())
    assert kinds == ["Compute", "Compute", "HeadNode", "LoginNode"]
    assert tags[outputs(stack)["Head"]]["parallelcluster:node-type"] == "HeadNode"
    compute = [one for one, each in tags.items() if each["parallelcluster:node-type"] == "Compute"]
    booted = [account.fleet.booted[each] for each in compute]
    assert sorted(each["slurm_name"] for each in booted) == ["train-st-h200-1", "train-st-h200-2"]
    assert {(each["role"], each["partitions"]) for each in booted} == {("compute", ("train",))}
    assert {tags[one]["parallelcluster:compute-resource-name"] for one in compute} == {"h200"}
    assert account.delete(stack)["StackStatus"] == "DELETE_COMPLETE"
    assert _tags(account) == {}


def test_both_custom_actions_are_run_around_the_services_own_work(account: StandIn) -> None:
    """OnNodeStart, then the volume of the instance store, then OnNodeConfigured, on compute nodes alone."""
    account.create(_resources(), Outputs=OUTPUTS)
    tags = _tags(account)
    for one, each in tags.items():
        text = account.fleet.booted[one]["user_data"]
        order = [text.index('tmp-action.sh" OnNodeStart'), text.index('tmp-action.sh" OnNodeConfigured')]
        if each["parallelcluster:node-type"] == "Compute":
            order.insert(1, text.index("lv_ephemeral"))
        assert order == sorted(order)
        assert ("lv_ephemeral" in text) is (each["parallelcluster:node-type"] == "Compute")


def test_a_static_node_that_is_ended_is_replaced(account: StandIn) -> None:
    """ParallelCluster's daemon fills the place, under the same name in Slurm."""
    account.create(_resources(), Outputs=OUTPUTS)
    before = _tags(account)
    gone = next(one for one, each in before.items() if each["parallelcluster:node-type"] == "Compute")
    name = account.fleet.booted[gone]["slurm_name"]
    account.client("ec2").terminate_instances(InstanceIds=[gone])
    after = _tags(account)
    (new,) = set(after) - set(before)
    assert len(after) == len(before)
    assert account.fleet.booted[new]["slurm_name"] == name


def test_an_update_takes_the_cluster_to_its_new_numbers(account: StandIn) -> None:
    """One node more; the others stay."""
    stack = account.create(_resources(), Outputs=OUTPUTS)
    before = set(_tags(account))
    account.update(stack["StackName"], _resources(least=3), Outputs=OUTPUTS)
    after = set(_tags(account))
    assert before < after
    assert len(after) == len(before) + 1


Change = Callable[[dict[str, Any]], object]


def _queue(resources: Mapping[str, Any]) -> dict[str, Any]:
    scheduling = resources["Cluster"]["Properties"]["ClusterConfiguration"]["Scheduling"]
    found: dict[str, Any] = scheduling["SlurmQueues"][0]
    return found


def _cluster(resources: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = resources["Cluster"]["Properties"]
    return found


REFUSED: list[tuple[Change, str]] = [
    (
        lambda all_: all_["Provider"]["Properties"].update(TemplateURL=URL.replace("3.16.1", "3.15.0")),
        "SBX-021: the sandbox has no template at",
    ),
    (
        lambda all_: all_["Provider"]["Properties"].update(TemplateURL=URL.replace("us-west-2", "us-east-1")),
        "the template of us-east-1 makes no function in us-west-2",
    ),
    (
        lambda all_: all_["Provider"]["Properties"].update(Parameters={"Role": "x"}),
        r"Parameters: \[Role\] do not exist in the template",
    ),
    (
        lambda all_: _cluster(all_).update(
            ServiceToken="arn:aws:lambda:us-west-2:123456789012:function:other"
        ),
        "no provider of ParallelCluster answers at",
    ),
    (
        lambda all_: _cluster(all_)["ClusterConfiguration"].update(Region="us-east-1"),
        "Region is us-east-1, the stack is in us-west-2",
    ),
    (
        lambda all_: _queue(all_)["Networking"].update(SecurityGroups=["sg-0123456789abcdef0"]),
        "InvalidGroup.NotFound",
    ),
    (
        lambda all_: _queue(all_)["Iam"]["AdditionalIamPolicies"].append(
            {"Policy": "arn:aws:iam::123456789012:policy/none"}
        ),
        "NoSuchEntity: policy",
    ),
    (
        lambda all_: _queue(all_)["CustomActions"]["OnNodeStart"].update(Script=f"s3://{BUCKET}/none.sh"),
        "UrlValidator",
    ),
    (
        lambda all_: _cluster(all_)["ClusterConfiguration"].update(
            SharedStorage=[{"FsxLustreSettings": {"FileSystemId": "fs-0123456789abcdef0"}}]
        ),
        "FsxValidator: file system fs-0123456789abcdef0 does not exist",
    ),
    (
        lambda all_: _queue(all_)["ComputeResources"][0].update(MinCount=5),
        "h200: MinCount 5 and MaxCount 4",
    ),
    (
        lambda all_: _queue(all_).update(CapacityType="CAPACITY_BLOCK"),
        "a Capacity Block takes MinCount equal to MaxCount",
    ),
    (
        lambda all_: _queue(all_)["ComputeResources"][0].update(
            CapacityReservationTarget={"CapacityReservationId": "cr-0123456789abcdef0"}
        ),
        "InvalidCapacityReservationId.NotFound: cr-0123456789abcdef0",
    ),
]


@pytest.mark.parametrize(("change", "reason"), REFUSED, ids=[reason for _, reason in REFUSED])
def test_what_the_account_refuses_is_refused(change: Change, reason: str, account: StandIn) -> None:
    """The stack rolls back with the reason, and no instance is left."""
    resources = copy.deepcopy(_resources())
    change(resources)
    stack = account.create(resources)
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    reasons = account.reasons(stack["StackName"])
    assert any(part in reasons for part in (reason, reason.replace("\\", "")))
    assert _tags(account) == {}
