"""PCS: clusters, node groups that launch nodes, queues."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.sandbox.resources.pcs_stack import OUTPUTS, USER_DATA, pcs_resources
from tests.sandbox.stand_in import StandIn, outputs


def _running(stand_in: StandIn, group_id: str) -> list[dict[str, Any]]:
    filters = [
        {"Name": "tag:aws:pcs:compute-node-group-id", "Values": [group_id]},
        {"Name": "instance-state-name", "Values": ["running"]},
    ]
    reservations = stand_in.client("ec2").describe_instances(Filters=filters)["Reservations"]
    return [instance for reservation in reservations for instance in reservation["Instances"]]


def test_node_group_launches_and_boots_nodes(stand_in: StandIn) -> None:
    """A group's static instances run in EC2 with PCS's tags, and boot with the template's user data."""
    stack = stand_in.create(pcs_resources(nodes=3), Outputs=OUTPUTS)
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    told = outputs(stack)
    instances = _running(stand_in, told["Group"])
    assert len(instances) == 3
    assert {instance["InstanceType"] for instance in instances} == {"p5en.48xlarge"}
    tags = {tag["Key"]: tag["Value"] for tag in instances[0]["Tags"]}
    assert tags["aws:pcs:cluster-id"] == told["Cluster"]
    assert tags["Name"] == "node"
    booted = [stand_in.fleet.booted[instance["InstanceId"]] for instance in instances]
    assert {node["user_data"] for node in booted} == {USER_DATA}
    assert {node["role"] for node in booted} == {"compute"}
    assert sorted(node["slurm_name"] for node in booted) == ["h200-1", "h200-2", "h200-3"]
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_COMPLETE"
    assert _running(stand_in, told["Group"]) == []
    assert {instance["InstanceId"] for instance in instances} <= set(stand_in.fleet.terminated)


def test_pcs_api_tells_what_the_stack_made(stand_in: StandIn) -> None:
    """Cluster, node group and queue are found by id and by name."""
    told = outputs(stand_in.create(pcs_resources(nodes=1), Outputs=OUTPUTS))
    pcs = stand_in.client("pcs")
    cluster = pcs.get_cluster(clusterIdentifier=told["Cluster"])["cluster"]
    assert cluster["scheduler"] == {"type": "SLURM", "version": "25.11"}
    assert [endpoint["type"] for endpoint in cluster["endpoints"]] == ["SLURMCTLD"]
    group = pcs.get_compute_node_group(clusterIdentifier=told["Cluster"], computeNodeGroupIdentifier="h200")
    assert group["computeNodeGroup"]["id"] == told["Group"]
    assert group["computeNodeGroup"]["scalingConfiguration"] == {"minInstanceCount": 1, "maxInstanceCount": 1}
    assert [queue["name"] for queue in pcs.list_queues(clusterIdentifier=told["Cluster"])["queues"]] == [
        "train"
    ]


def test_scaling_launches_and_ends_nodes(stand_in: StandIn) -> None:
    """A larger minimum launches, a smaller maximum ends."""
    stack = stand_in.create(pcs_resources(nodes=1), Outputs=OUTPUTS)
    group = outputs(stack)["Group"]
    before = {instance["InstanceId"] for instance in _running(stand_in, group)}
    stand_in.update(stack["StackName"], pcs_resources(nodes=3), Outputs=OUTPUTS)
    after = {instance["InstanceId"] for instance in _running(stand_in, group)}
    assert len(after) == 3
    assert before < after
    stand_in.update(stack["StackName"], pcs_resources(nodes=1), Outputs=OUTPUTS)
    assert {instance["InstanceId"] for instance in _running(stand_in, group)} == before


def test_other_launch_template_version_replaces_nodes(stand_in: StandIn) -> None:
    """A changed launch template gets a new version, and the nodes are launched anew from it."""
    resources = pcs_resources(nodes=1)
    stack = stand_in.create(resources, Outputs=OUTPUTS)
    told = outputs(stack)
    before = _running(stand_in, told["Group"])[0]["InstanceId"]
    data = resources["Template"]["Properties"]["LaunchTemplateData"]
    data["TagSpecifications"][0]["Tags"][0]["Value"] = "renamed"
    updated = stand_in.update(stack["StackName"], resources, Outputs=OUTPUTS)
    assert updated["StackStatus"] == "UPDATE_COMPLETE"
    assert outputs(updated)["Template"] == told["Template"]
    after = _running(stand_in, told["Group"])[0]
    assert after["InstanceId"] != before
    assert {"Key": "Name", "Value": "renamed"} in after["Tags"]


def _partitions(stand_in: StandIn, group_id: str) -> set[tuple[str, ...]]:
    return {
        tuple(stand_in.fleet.booted[instance["InstanceId"]]["partitions"])
        for instance in _running(stand_in, group_id)
    }


def test_nodes_are_in_the_partitions_of_the_queues_that_hold_their_group(stand_in: StandIn) -> None:
    """From the making of a queue on, for nodes launched later too, until the queue is gone."""
    resources = pcs_resources(nodes=1)
    stack = stand_in.create(resources, Outputs=OUTPUTS)
    name, group = stack["StackName"], outputs(stack)["Group"]
    assert _partitions(stand_in, group) == {("train",)}
    second = {**resources["Queue"]["Properties"], "Name": "debug"}
    resources["Debug"] = {"Type": "AWS::PCS::Queue", "Properties": second}
    stand_in.update(name, resources, Outputs=OUTPUTS)
    assert _partitions(stand_in, group) == {("debug", "train")}
    resources["Nodes"]["Properties"]["ScalingConfiguration"] = {"MinInstanceCount": 3, "MaxInstanceCount": 3}
    stand_in.update(name, resources, Outputs=OUTPUTS)
    assert len(_running(stand_in, group)) == 3
    assert _partitions(stand_in, group) == {("debug", "train")}
    resources["Queue"]["Properties"]["ComputeNodeGroupConfigurations"] = []
    del resources["Debug"]
    stand_in.update(name, resources, Outputs=OUTPUTS)
    assert _partitions(stand_in, group) == {()}


def _second(resources: dict[str, Any], logical_id: str) -> dict[str, Any]:
    return {**resources, "Second": {**resources[logical_id], "DependsOn": ["Queue"]}}


@pytest.mark.parametrize(
    ("logical_id", "kind"), [("Cluster", "cluster"), ("Nodes", "compute node group"), ("Queue", "queue")]
)
def test_a_second_resource_of_one_name_fails_the_stack(stand_in: StandIn, logical_id: str, kind: str) -> None:
    """PCS has one cluster of a name in an account and Region, and one node group and queue in a cluster."""
    stack = stand_in.create(_second(pcs_resources(nodes=1), logical_id))
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert f"ConflictException: A {kind} with the same name" in stand_in.reasons(stack["StackName"])


def test_two_clusters_may_hold_groups_and_queues_of_one_name(stand_in: StandIn) -> None:
    """The same environment deployed twice under two names stands twice."""
    for _ in range(2):
        assert stand_in.create(pcs_resources(nodes=1))["StackStatus"] == "CREATE_COMPLETE"


def _larger_cluster(resources: dict[str, Any]) -> None:
    resources["Cluster"]["Properties"]["Size"] = "MEDIUM"


def _other_type(resources: dict[str, Any]) -> None:
    resources["Nodes"]["Properties"]["InstanceConfigs"] = [{"InstanceType": "p5.48xlarge"}]


@pytest.mark.parametrize(("change", "kind"), [(_larger_cluster, "cluster"), (_other_type, "node group")])
def test_a_replacement_under_one_name_fails_and_leaves_the_nodes(
    stand_in: StandIn, change: Callable[[dict[str, Any]], None], kind: str
) -> None:
    """The new one is made before the old one is deleted, so the name is taken; what was there runs on."""
    resources = pcs_resources(nodes=1)
    stack = stand_in.create(resources, Outputs=OUTPUTS)
    before = _running(stand_in, outputs(stack)["Group"])
    change(resources)
    updated = stand_in.update(stack["StackName"], resources, Outputs=OUTPUTS)
    assert updated["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert f"{kind} with the same name already exists" in stand_in.reasons(stack["StackName"])
    after = _running(stand_in, outputs(updated)["Group"])
    assert [each["InstanceId"] for each in after] == [each["InstanceId"] for each in before]


def test_another_type_under_another_name_replaces_the_group(stand_in: StandIn) -> None:
    """Which is how a pool changes its instance type."""
    resources = pcs_resources(nodes=1)
    stack = stand_in.create(resources, Outputs=OUTPUTS)
    _other_type(resources)
    resources["Nodes"]["Properties"]["Name"] = "h100"
    updated = stand_in.update(stack["StackName"], resources, Outputs=OUTPUTS)
    assert updated["StackStatus"] == "UPDATE_COMPLETE"
    (node,) = _running(stand_in, outputs(updated)["Group"])
    assert node["InstanceType"] == "p5.48xlarge"
    assert _running(stand_in, outputs(stack)["Group"]) == []


def _role_elsewhere(resources: dict[str, Any]) -> None:
    resources["Role"]["Properties"]["Path"] = "/"


def _latest(resources: dict[str, Any]) -> None:
    resources["Nodes"]["Properties"]["CustomLaunchTemplate"]["Version"] = "$Latest"


def _other_zone(resources: dict[str, Any]) -> None:
    resources["Subnet"]["Properties"]["AvailabilityZoneId"] = "usw2-az1"


def _too_many(resources: dict[str, Any]) -> None:
    resources["Nodes"]["Properties"]["ScalingConfiguration"]["MaxInstanceCount"] = 33


def _small_subnet(resources: dict[str, Any]) -> None:
    resources["Subnet"]["Properties"]["CidrBlock"] = "10.0.0.0/28"
    resources["Nodes"]["Properties"]["ScalingConfiguration"] = {
        "MinInstanceCount": 12,
        "MaxInstanceCount": 12,
    }


def _block_without_market(resources: dict[str, Any]) -> None:
    resources["Nodes"]["Properties"]["PurchaseOption"] = "CAPACITY_BLOCK"


def _old_slurm(resources: dict[str, Any]) -> None:
    resources["Cluster"]["Properties"]["Scheduler"]["Version"] = "20.11"


def _eleven_queues(resources: dict[str, Any]) -> None:
    queue = resources["Queue"]
    for number in range(10):
        resources[f"Queue{number}"] = {
            **queue,
            "Properties": {**queue["Properties"], "Name": f"queue-{number}"},
        }


def _eleven_groups(resources: dict[str, Any]) -> None:
    nodes = resources["Nodes"]
    scaling = {"MinInstanceCount": 0, "MaxInstanceCount": 1}
    for number in range(10):
        properties = {**nodes["Properties"], "Name": f"group-{number}", "ScalingConfiguration": scaling}
        resources[f"Nodes{number}"] = {**nodes, "Properties": properties}


@pytest.mark.parametrize(
    ("spoil", "word"),
    [
        (_eleven_queues, "ServiceQuotaExceededException"),
        (_eleven_groups, "ServiceQuotaExceededException"),
        (_role_elsewhere, "aws-pcs"),
        (_latest, "must be a number"),
        (_other_zone, "not offered in usw2-az1"),
        (_too_many, "over the 32"),
        (_small_subnet, "InsufficientFreeAddressesInSubnet"),
        (_block_without_market, "MarketType"),
        (_old_slurm, "20.11"),
    ],
)
def test_what_pcs_refuses_fails_the_stack(
    stand_in: StandIn, spoil: Callable[[dict[str, Any]], None], word: str
) -> None:
    """Each thing that PCS or EC2 would refuse fails the stack, with the reason in its history."""
    resources = pcs_resources()
    spoil(resources)
    stack = stand_in.create(resources)
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert word in stand_in.reasons(stack["StackName"])


def test_node_that_does_not_come_up_fails_the_stack(stand_in: StandIn) -> None:
    """A boot that fails fails the group, and no instance stays behind."""
    stand_in.fleet.boot_error = RuntimeError("no room")
    stack = stand_in.create(pcs_resources())
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "no room" in stand_in.reasons(stack["StackName"])


def test_reservation_must_fit(stand_in: StandIn) -> None:
    """A launch into a reservation needs one of that id, type, zone and size."""
    resources = pcs_resources(nodes=2)
    reservation = "cr-00000000000000fed"
    resources["Template"]["Properties"]["LaunchTemplateData"]["CapacityReservationSpecification"] = {
        "CapacityReservationTarget": {"CapacityReservationId": reservation}
    }
    stack = stand_in.create(resources)
    assert "InvalidCapacityReservationId.NotFound" in stand_in.reasons(stack["StackName"])
    told = {
        "InstanceType": "p5en.48xlarge",
        "AvailabilityZoneId": "usw2-az2",
        "State": "active",
        "TotalInstanceCount": 1,
    }
    stand_in.options(capacity_reservations={reservation: told})
    assert "has 1 places that fit, 2 are needed" in stand_in.reasons(stand_in.create(resources)["StackName"])
    stand_in.options(capacity_reservations={reservation: {**told, "TotalInstanceCount": 2}})
    assert stand_in.create(resources)["StackStatus"] == "CREATE_COMPLETE"
    answer = stand_in.client("ec2").describe_capacity_reservations(CapacityReservationIds=[reservation])
    assert answer["CapacityReservations"][0]["State"] == "active"
