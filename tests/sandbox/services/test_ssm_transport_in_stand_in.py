"""The transport of validation against the stand-in's SSM: by tag, throttled, and read from the bucket."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from bedplate.errors import AwsRefused
from bedplate.node.envelope import seal
from bedplate.validation.aws import AwsClients
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.ssm import SsmTransport
from bedplate.validation.transports.ssm_limits import Backoff, SsmLimits
from tests.sandbox.resources.pcs_stack import OUTPUTS, pcs_resources
from tests.sandbox.stand_in import REGION, FakeResult, StandIn, outputs

TAG = "aws:pcs:compute-node-group-id"
BUCKET = "transport-results"
DOCUMENT: dict[str, Any] = {
    "schemaVersion": "2.2",
    "parameters": {"Arguments": {"type": "String"}, "TimeoutSeconds": {"type": "String"}},
    "mainSteps": [
        {
            "action": "aws:runShellScript",
            "name": "bedplateNode",
            "inputs": {"timeoutSeconds": "{{ TimeoutSeconds }}", "runCommand": ["program {{ Arguments }}"]},
        }
    ],
}


@pytest.fixture(scope="module")
def group(stand_in_server: StandIn) -> Iterator[tuple[str, list[str]]]:
    """A node group's id, and its three nodes."""
    stack = stand_in_server.create(pcs_resources(nodes=3), name="t-transport", Outputs=OUTPUTS)
    group_id = outputs(stack)["Group"]
    filters = [{"Name": f"tag:{TAG}", "Values": [group_id]}]
    found = stand_in_server.client("ec2").describe_instances(Filters=filters)["Reservations"]
    stand_in_server.client("s3").create_bucket(
        Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION}
    )
    properties = {
        "Name": "answer",
        "DocumentType": "Command",
        "DocumentFormat": "JSON",
        "Content": DOCUMENT,
    }
    made = stand_in_server.create({"D": {"Type": "AWS::SSM::Document", "Properties": properties}})
    assert made["StackStatus"] == "CREATE_COMPLETE"
    yield group_id, [one["InstanceId"] for reservation in found for one in reservation["Instances"]]
    stand_in_server.delete(stack)


def answer(instance_id: str, script: str) -> FakeResult:
    """What a node prints: an envelope to the question in its script."""
    match = re.search(r"program (\S+) --nonce (\S+)", script)
    assert match
    body = {"long": "x" * 60_000}
    return FakeResult(seal(body=body, instance_id=instance_id, nonce=match[2], command=match[1]))


@pytest.fixture
def transport(stand_in: StandIn, group: tuple[str, list[str]], monkeypatch) -> SsmTransport:
    """A transport of the real clients; groups of two nodes and more are addressed by tag."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", stand_in.endpoint)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    stand_in.fleet.answer = answer
    group_id, nodes = group
    return SsmTransport(
        AwsClients(region=REGION),
        "answer",
        BUCKET,
        "run-1",
        sleep=lambda seconds: time.sleep(min(seconds, 0.05)),
        limits=SsmLimits(tag_from=2),
        groups={(TAG, group_id): frozenset(nodes)},
    )


def test_a_pool_is_asked_by_its_tag_and_answers_whole(
    transport: SsmTransport, group: tuple[str, list[str]], stand_in: StandIn
) -> None:
    """One command reaches all of it; each answer is longer than SSM shows and comes from the bucket."""
    _, nodes = group
    before = len(stand_in.client("ssm").list_commands()["Commands"])
    replies = transport.ask(instance_ids=nodes, question=Question("probe", deadline_seconds=60))
    assert all(reply.answer is not None for reply in replies.values())
    assert {len(reply.answer.body["long"]) for reply in replies.values() if reply.answer} == {60_000}
    assert len(stand_in.client("ssm").list_commands()["Commands"]) == before + 1


@pytest.mark.slow  # botocore pauses between its own attempts
def test_throttled_calls_are_survived(
    transport: SsmTransport, group: tuple[str, list[str]], stand_in: StandIn
) -> None:
    """Four of five calls of three operations are refused, more than botocore itself repeats."""
    operations = ("ssm:SendCommand", "ssm:ListCommandInvocations", "ssm:DescribeInstanceInformation")
    stand_in.options(throttle=dict.fromkeys(operations, 4))
    replies = transport.ask(instance_ids=group[1], question=Question("probe", deadline_seconds=60))
    assert all(reply.answer is not None for reply in replies.values())


def test_throttling_without_end_is_a_refusal(
    transport: SsmTransport, group: tuple[str, list[str]], stand_in: StandIn
) -> None:
    """Nothing is made up: the run ends with what AWS says."""
    stand_in.options(throttle={"ssm:SendCommand": 10**6})
    transport.limits = SsmLimits(backoff=Backoff(attempts=3))
    with pytest.raises(AwsRefused, match="Rate exceeded"):
        transport.ask(instance_ids=group[1], question=Question("probe"))


def test_the_switch_refuses_as_many_as_it_says(stand_in: StandIn) -> None:
    """Two of three calls, and of that operation alone."""
    stand_in.options(throttle={"ssm:ListCommands": 2})
    ssm = stand_in.client("ssm")
    told = []
    for _ in range(6):
        try:
            ssm.list_commands()
            told.append("")
        except ClientError as error:
            told.append(error.response["Error"]["Code"])
    assert told == ["ThrottlingException", "ThrottlingException", ""] * 2
    assert ssm.describe_instance_information()["InstanceInformationList"] is not None
