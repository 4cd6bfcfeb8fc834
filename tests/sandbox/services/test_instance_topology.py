"""The stand-in tells where instances stand as EC2 does, and the validation reads it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError

from bedplate.validation.steps.read_topology import read_topology
from tests.sandbox.stand_in import StandIn


@pytest.fixture
def ec2(stand_in: StandIn) -> Any:
    """EC2 of a stand-in with six compute nodes and a login node, and none that another test left."""
    stand_in.fleet.booted.clear()
    for number in range(6):
        stand_in.fleet.boot(f"i-{number:017x}", role="compute")
    stand_in.fleet.boot("i-0000000000000beef", role="login")
    return stand_in.client("ec2")


def test_the_validation_reads_two_leaves_of_six_nodes(ec2: Any) -> None:
    """Four nodes under one leaf, two under another; a login node has no network nodes."""
    ids = [f"i-{number:017x}" for number in range(6)]
    topology, problem = read_topology(clients=SimpleNamespace(ec2=ec2), instance_ids=ids)  # type: ignore[arg-type]
    assert problem == ""
    assert sorted(len(under) for under in topology.leaves(ids).values()) == [2, 4]
    (row,) = ec2.describe_instance_topology(InstanceIds=["i-0000000000000beef"])["Instances"]
    assert row.get("NetworkNodes", []) == []


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ({"InstanceIds": ["i-1"], "MaxResults": 5}, "InvalidParameterCombination"),
        ({"InstanceIds": [f"i-{number}" for number in range(101)]}, "InvalidParameterValue"),
        ({}, "InvalidParameterValue"),
    ],
)
def test_what_ec2_or_the_stand_in_does_not_take_is_refused(ec2: Any, wanted: Any, code: str) -> None:
    """EC2 excludes MaxResults beside ids and takes a hundred; without ids the stand-in plays nothing."""
    with pytest.raises(ClientError) as caught:
        ec2.describe_instance_topology(**wanted)
    assert caught.value.response["Error"]["Code"] == code
