"""Capacity Blocks in the stand-in: their state, the scaler's real handler, and one-time schedules."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import uuid
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.sandbox.resources.pcs_stack import OUTPUTS, pcs_resources
from tests.sandbox.stand_in import REGION, StandIn, outputs

HANDLERS = Path(__file__).parents[3] / "bedplate/constructs/handlers/capacity_blocks"
BLOCK = "cr-0123456789abcdef0"
ROLE = {
    "Type": "AWS::IAM::Role",
    "Properties": {
        "AssumeRolePolicyDocument": {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Effect": "Allow",
                    "Principal": {"Service": ["lambda.amazonaws.com", "scheduler.amazonaws.com"]},
                    "Action": "sts:AssumeRole",
                }
            ],
        }
    },
}


@pytest.fixture(autouse=True)
def _give_back(stand_in: StandIn) -> Iterator[None]:
    """Delete what a test made, for its nodes take the block's places."""
    api = stand_in.client("cloudformation")
    before = {stack["StackId"] for stack in api.describe_stacks()["Stacks"]}
    yield
    for stack in api.describe_stacks()["Stacks"]:
        if stack["StackId"] not in before:
            stand_in.delete(stack)


def _block(*, state: str, ends_in: timedelta = timedelta(days=3), **more: Any) -> dict[str, Any]:
    return {
        "InstanceType": "p5en.48xlarge",
        "AvailabilityZoneId": "usw2-az2",
        "State": state,
        "TotalInstanceCount": 2,
        "ReservationType": "capacity-block",
        "CapacityBlockId": "cb-1",
        "EndDate": (datetime.now(UTC) + ends_in).isoformat(),
        **more,
    }


def _told(stand_in: StandIn, **options: Any) -> None:
    stand_in.options(capacity_reservations={BLOCK: _block(**options)})


def _wanted(*, cluster: str, group: str) -> dict[str, Any]:
    return {
        "cluster": cluster,
        "group": group,
        "reservation": BLOCK,
        "minimum": 2,
        "warning_minutes": 40,
    }


def _stack_resources(stand_in: StandIn, *, stamp: str) -> dict[str, Any]:
    """A node group on a block that starts at zero, and the scaler's function behind a custom resource."""
    resources = pcs_resources(nodes=0, most=2)
    launch = resources["Template"]["Properties"]["LaunchTemplateData"]
    launch["InstanceType"] = "p5en.48xlarge"
    launch["InstanceMarketOptions"] = {"MarketType": "capacity-block"}
    launch["CapacityReservationSpecification"] = {
        "CapacityReservationTarget": {"CapacityReservationId": BLOCK}
    }
    resources["Nodes"]["Properties"]["PurchaseOption"] = "CAPACITY_BLOCK"
    groups = json.dumps([_wanted(cluster="${Cluster.Id}", group="${Nodes.Id}")])
    resources["FunctionRole"] = ROLE
    resources["Function"] = {
        "Type": "AWS::Lambda::Function",
        "Properties": {
            "Code": _upload(stand_in),
            "Handler": "scale.handler",
            "Runtime": "python3.14",
            "Timeout": 60,
            "Role": {"Fn::GetAtt": ["FunctionRole", "Arn"]},
            "Environment": {"Variables": {"NODE_GROUPS": {"Fn::Sub": groups}}},
        },
    }
    resources["AtDeploy"] = {
        "Type": "Custom::BedplateBlockScaling",
        "Properties": {"ServiceToken": {"Fn::GetAtt": ["Function", "Arn"]}, "NodeGroups": [[stamp]]},
    }
    return resources


def _upload(stand_in: StandIn) -> dict[str, str]:
    package = io.BytesIO()
    with zipfile.ZipFile(package, "w") as archive:
        for path in sorted(HANDLERS.glob("*.py")):
            archive.write(path, path.name)
    s3 = stand_in.client("s3")
    bucket = f"code-{uuid.uuid4().hex[:8]}"
    s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": REGION})
    s3.put_object(Bucket=bucket, Key="scaler.zip", Body=package.getvalue())
    return {"S3Bucket": bucket, "S3Key": "scaler.zip"}


def _scaling(stand_in: StandIn, stack: Any) -> tuple[int, int]:
    names = {
        "clusterIdentifier": outputs(stack)["Cluster"],
        "computeNodeGroupIdentifier": outputs(stack)["Group"],
    }
    group = stand_in.client("pcs").get_compute_node_group(**names)["computeNodeGroup"]
    running = stand_in.client("ec2").describe_instances(
        Filters=[
            {"Name": "tag:aws:pcs:compute-node-group-id", "Values": [outputs(stack)["Group"]]},
            {"Name": "instance-state-name", "Values": ["running"]},
        ]
    )["Reservations"]
    count = sum(len(each["Instances"]) for each in running)
    return group["scalingConfiguration"]["minInstanceCount"], count


def _event(stand_in: StandIn, stack: Any, detail_type: str) -> None:
    """Run the handler as EventBridge would have it run."""
    wanted = _wanted(cluster=outputs(stack)["Cluster"], group=outputs(stack)["Group"])
    code = f"import scale; scale.handler({{'detail-type': {detail_type!r}}}, None)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=HANDLERS,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONDONTWRITEBYTECODE": "1",
            "AWS_ENDPOINT_URL": stand_in.endpoint,
            "AWS_REGION": REGION,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "NODE_GROUPS": json.dumps([wanted]),
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_a_node_group_follows_its_block(stand_in: StandIn) -> None:
    """It waits at zero, has its nodes from the delivery on, and is lowered at the warning."""
    _told(stand_in, state="scheduled")
    stack = stand_in.create(_stack_resources(stand_in, stamp="1"), Outputs=OUTPUTS)
    assert stack["StackStatus"] == "CREATE_COMPLETE", stand_in.reasons(stack["StackName"])
    assert _scaling(stand_in, stack) == (0, 0)
    _told(stand_in, state="active")
    _event(stand_in, stack, "Capacity Block Reservation Delivered")
    assert _scaling(stand_in, stack) == (2, 2)
    _told(stand_in, state="active", ends_in=timedelta(minutes=39))
    _event(stand_in, stack, "Capacity Block Reservation Expiration Warning")
    assert _scaling(stand_in, stack)[0] == 0
    # The places in the block are free again for the other tests.
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_COMPLETE"


def test_a_deploy_does_not_lose_the_minimum(stand_in: StandIn) -> None:
    """CloudFormation writes zero when a node group changes; the same deploy raises it again."""
    _told(stand_in, state="active")
    stack = stand_in.create(_stack_resources(stand_in, stamp="1"), Outputs=OUTPUTS)
    assert _scaling(stand_in, stack) == (2, 2), stand_in.reasons(stack["StackName"])
    changed = _stack_resources(stand_in, stamp="2")
    changed["Nodes"]["Properties"]["AmiId"] = "ami-0fedcba9876543210"
    stack = stand_in.update(stack["StackName"], changed, Outputs=OUTPUTS)
    assert stack["StackStatus"] == "UPDATE_COMPLETE", stand_in.reasons(stack["StackName"])
    assert _scaling(stand_in, stack) == (2, 2)


def test_what_pcs_refuses_stays_as_it_was(stand_in: StandIn) -> None:
    """An impossible scaling, and any other change by the API, is an error and changes nothing."""
    _told(stand_in, state="scheduled")
    stack = stand_in.create(_stack_resources(stand_in, stamp="1"), Outputs=OUTPUTS)
    pcs = stand_in.client("pcs")
    names = {
        "clusterIdentifier": outputs(stack)["Cluster"],
        "computeNodeGroupIdentifier": outputs(stack)["Group"],
    }
    for change in (
        {"scalingConfiguration": {"minInstanceCount": 3, "maxInstanceCount": 2}},
        {"scalingConfiguration": {"minInstanceCount": 2, "maxInstanceCount": 2}},
        {"amiId": "ami-0fedcba9876543210"},
    ):
        with pytest.raises(ClientError):
            pcs.update_compute_node_group(**names, **change)
    assert _scaling(stand_in, stack) == (0, 0)


def test_a_block_that_has_expired_cannot_be_scaled(stand_in: StandIn) -> None:
    """PCS updates a node group on a block only while the block is scheduled or active."""
    _told(stand_in, state="active")
    stack = stand_in.create(_stack_resources(stand_in, stamp="1"), Outputs=OUTPUTS)
    assert stack["StackStatus"] == "CREATE_COMPLETE", stand_in.reasons(stack["StackName"])
    _told(stand_in, state="expired")
    with pytest.raises(ClientError, match="is expired"):
        stand_in.client("pcs").update_compute_node_group(
            clusterIdentifier=outputs(stack)["Cluster"],
            computeNodeGroupIdentifier=outputs(stack)["Group"],
            scalingConfiguration={"minInstanceCount": 0, "maxInstanceCount": 2},
        )
    assert _scaling(stand_in, stack) == (2, 2)


def test_the_status_of_a_block_is_told(stand_in: StandIn) -> None:
    """A block has its reservations, its UltraServer type, and the state of interconnect and capacity."""
    stand_in.options(
        capacity_reservations={BLOCK: _block(state="active")},
        capacity_blocks={
            "cb-1": {
                "UltraserverType": "u-p6e-gb200x72",
                "InterconnectStatus": "impaired",
                "TotalUnavailableCapacity": 1,
            }
        },
    )
    ec2 = stand_in.client("ec2")
    (block,) = ec2.describe_capacity_blocks(CapacityBlockIds=["cb-1"])["CapacityBlocks"]
    assert (block["CapacityReservationIds"], block["UltraserverType"]) == ([BLOCK], "u-p6e-gb200x72")
    (status,) = ec2.describe_capacity_block_status(CapacityBlockIds=["cb-1"])["CapacityBlockStatuses"]
    assert (status["InterconnectStatus"], status["TotalAvailableCapacity"]) == ("impaired", 1)
    with pytest.raises(ClientError, match="cb-2"):
        ec2.describe_capacity_blocks(CapacityBlockIds=["cb-2"])


def _schedule(expression: str) -> dict[str, Any]:
    return {
        "Role": ROLE,
        "Topic": {"Type": "AWS::SNS::Topic"},
        "Schedule": {
            "Type": "AWS::Scheduler::Schedule",
            "Properties": {
                "ScheduleExpression": expression,
                "State": "ENABLED",
                "FlexibleTimeWindow": {"Mode": "OFF"},
                "Target": {
                    "Arn": {"Ref": "Topic"},
                    "RoleArn": {"Fn::GetAtt": ["Role", "Arn"]},
                    "Input": "soon",
                },
            },
        },
    }


def test_a_schedule_is_made_changed_and_deleted(stand_in: StandIn) -> None:
    """The Scheduler tells what the stack made, and forgets it with the stack."""
    scheduler = stand_in.client("scheduler")
    stack = stand_in.create(_schedule("at(2099-01-01T00:00:00)"))
    assert stack["StackStatus"] == "CREATE_COMPLETE", stand_in.reasons(stack["StackName"])
    name = stand_in.physical_id(stack["StackName"], "Schedule")
    stack = stand_in.update(stack["StackName"], _schedule("at(2099-02-01T00:00:00)"))
    assert scheduler.get_schedule(Name=name)["ScheduleExpression"] == "at(2099-02-01T00:00:00)"
    stand_in.delete(stack)
    with pytest.raises(ClientError, match="ResourceNotFoundException"):
        scheduler.get_schedule(Name=name)


@pytest.mark.parametrize("expression", ["at(2020-01-01T00:00:00)", "at(tomorrow)"])
def test_a_schedule_in_the_past_is_refused(stand_in: StandIn, expression: str) -> None:
    """The stand-in takes the stricter side of what no source settles."""
    stack = stand_in.create(_schedule(expression))
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "ValidationException" in stand_in.reasons(stack["StackName"])
