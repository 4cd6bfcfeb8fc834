"""EC2 TerminateInstances on a node group's instances: they end, and their places are filled."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.sandbox.resources.pcs_stack import OUTPUTS, pcs_resources
from tests.sandbox.stand_in import StandIn, outputs


def _running(stand_in: StandIn, group_id: str) -> set[str]:
    filters = [
        {"Name": "tag:aws:pcs:compute-node-group-id", "Values": [group_id]},
        {"Name": "instance-state-name", "Values": ["pending", "running"]},
    ]
    found = stand_in.client("ec2").describe_instances(Filters=filters)["Reservations"]
    return {row["InstanceId"] for each in found for row in each["Instances"]}


def test_an_instance_that_ends_is_replaced_under_its_name(stand_in: StandIn) -> None:
    """Another instance boots with the free name; the other nodes are as they were."""
    told = outputs(stand_in.create(pcs_resources(nodes=3), Outputs=OUTPUTS))
    before = _running(stand_in, told["Group"])
    gone = next(one for one in before if stand_in.fleet.booted[one]["slurm_name"] == "h200-2")
    answer = stand_in.client("ec2").terminate_instances(InstanceIds=[gone])["TerminatingInstances"]
    assert [(one["InstanceId"], one["PreviousState"]["Name"]) for one in answer] == [(gone, "running")]
    after = _running(stand_in, told["Group"])
    assert before - after == {gone}
    (new,) = after - before
    assert gone in stand_in.fleet.terminated
    assert stand_in.fleet.booted[new]["slurm_name"] == "h200-2"
    assert sorted(stand_in.fleet.booted[one]["slurm_name"] for one in after) == ["h200-1", "h200-2", "h200-3"]


def test_a_group_without_a_minimum_stays_smaller(stand_in: StandIn) -> None:
    """Nothing asks for another instance."""
    resources = pcs_resources(nodes=1, most=2)
    told = outputs(stand_in.create(resources, Outputs=OUTPUTS))
    pcs = stand_in.client("pcs")
    pcs.update_compute_node_group(
        clusterIdentifier=told["Cluster"],
        computeNodeGroupIdentifier=told["Group"],
        scalingConfiguration={"minInstanceCount": 0, "maxInstanceCount": 2},
    )
    stand_in.client("ec2").terminate_instances(InstanceIds=list(_running(stand_in, told["Group"])))
    assert _running(stand_in, told["Group"]) == set()


def test_the_place_in_a_reservation_is_taken_again(stand_in: StandIn) -> None:
    """A full reservation lets the newcomer in where the old one left; one that has ended lets nobody in."""
    reservation = f"cr-{uuid.uuid4().hex[:17]}"
    row: dict[str, Any] = {
        "InstanceType": "p5en.48xlarge",
        "AvailabilityZoneId": "usw2-az2",
        "State": "active",
        "TotalInstanceCount": 2,
        "AvailableInstanceCount": 2,
    }
    stand_in.options(capacity_reservations={reservation: row})
    resources = pcs_resources(nodes=2)
    target = {"CapacityReservationTarget": {"CapacityReservationId": reservation}}
    resources["Template"]["Properties"]["LaunchTemplateData"]["CapacityReservationSpecification"] = target
    told = outputs(stand_in.create(resources, Outputs=OUTPUTS))
    ec2 = stand_in.client("ec2")
    ec2.terminate_instances(InstanceIds=[min(_running(stand_in, told["Group"]))])
    assert len(_running(stand_in, told["Group"])) == 2
    stand_in.options(capacity_reservations={reservation: {**row, "State": "expired"}})
    ec2.terminate_instances(InstanceIds=[min(_running(stand_in, told["Group"]))])
    assert len(_running(stand_in, told["Group"])) == 1


def test_an_id_that_is_not_there_ends_nobody(stand_in: StandIn) -> None:
    """All or none, as at EC2."""
    told = outputs(stand_in.create(pcs_resources(nodes=1), Outputs=OUTPUTS))
    (known,) = _running(stand_in, told["Group"])
    with pytest.raises(ClientError, match=r"InvalidInstanceID\.NotFound"):
        stand_in.client("ec2").terminate_instances(InstanceIds=[known, "i-0123456789abcdef0"])
    assert _running(stand_in, told["Group"]) == {known}
