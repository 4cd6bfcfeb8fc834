"""SSM Run Command: what is sent, what comes back, and how it can go wrong."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.sandbox.resources.pcs_stack import OUTPUTS, pcs_resources
from tests.sandbox.stand_in import FakeResult, StandIn, eventually, outputs

DOCUMENT = {
    "schemaVersion": "2.2",
    "parameters": {
        "Arguments": {"type": "String", "allowedPattern": "^[A-Za-z0-9 -]*$"},
        "TimeoutSeconds": {"type": "String", "default": "60", "allowedPattern": "^[0-9]+$"},
    },
    "mainSteps": [
        {
            "action": "aws:runShellScript",
            "name": "ask",
            "inputs": {
                "timeoutSeconds": "{{ TimeoutSeconds }}",
                "runCommand": ["exec program {{ Arguments }}"],
            },
        }
    ],
}
BUCKET = "ssm-results"
FINISHED = {"Success", "Failed", "TimedOut", "Cancelled"}


class Nodes:
    """Two nodes, a document and a bucket, and the calls on them."""

    def __init__(self, stand_in: StandIn, instance_ids: list[str]) -> None:
        self.stand_in = stand_in
        self.instance_ids = instance_ids
        self.ssm = stand_in.client("ssm")

    def send(self, arguments: str = "probe", **more: Any) -> str:
        """Send the document to the first node, or to ``InstanceIds``."""
        values = {
            "InstanceIds": self.instance_ids[:1],
            "DocumentName": "ask",
            "Parameters": {"Arguments": [arguments]},
            "OutputS3BucketName": BUCKET,
            "OutputS3KeyPrefix": "runs/one",
            **more,
        }
        command_id: str = self.ssm.send_command(**values)["Command"]["CommandId"]
        return command_id

    def finished(self, command_id: str, instance_id: str = "") -> dict[str, Any]:
        """The invocation once it is finished."""
        instance_id = instance_id or self.instance_ids[0]

        def ended() -> dict[str, Any] | None:
            told = self.ssm.get_command_invocation(CommandId=command_id, InstanceId=instance_id)
            return told if told["Status"] in FINISHED else None

        found: dict[str, Any] = eventually(ended)
        return found

    def uploaded(self, command_id: str, instance_id: str = "") -> str:
        """What the agent put into the bucket."""
        key = f"runs/one/{command_id}/{instance_id or self.instance_ids[0]}/awsrunShellScript/ask/stdout"
        body: bytes = self.stand_in.client("s3").get_object(Bucket=BUCKET, Key=key)["Body"].read()
        return body.decode()


@pytest.fixture(scope="module")
def two_nodes(stand_in_server: StandIn) -> Iterator[list[str]]:
    """The instance ids of a group of two nodes."""
    stack = stand_in_server.create(pcs_resources(nodes=2), name="t-ssm-nodes", Outputs=OUTPUTS)
    filters = [{"Name": "tag:aws:pcs:compute-node-group-id", "Values": [outputs(stack)["Group"]]}]
    reservations = stand_in_server.client("ec2").describe_instances(Filters=filters)["Reservations"]
    stand_in_server.client("s3").create_bucket(
        Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "us-west-2"}
    )
    stand_in_server.create({"D": {"Type": "AWS::SSM::Document", "Properties": _document_properties()}})
    yield [instance["InstanceId"] for reservation in reservations for instance in reservation["Instances"]]
    stand_in_server.delete(stack)


def _document_properties() -> dict[str, Any]:
    return {"Name": "ask", "DocumentType": "Command", "DocumentFormat": "JSON", "Content": DOCUMENT}


@pytest.fixture
def nodes(stand_in: StandIn, two_nodes: list[str]) -> Nodes:
    """The two nodes."""
    return Nodes(stand_in, two_nodes)


def test_document_runs_with_its_parameters(nodes: Nodes) -> None:
    """The script reaches the node with its parameters filled in, its output the caller and the bucket."""
    told = nodes.finished(command_id := nodes.send("probe --x", TimeoutSeconds=60))
    assert (told["Status"], told["StatusDetails"], told["ResponseCode"]) == ("Success", "Success", 0)
    assert nodes.stand_in.fleet.scripts[-1] == (nodes.instance_ids[0], "exec program probe --x\n", 60)
    assert told["StandardOutputContent"] == f"{nodes.instance_ids[0]}: exec program probe --x\n"
    assert nodes.uploaded(command_id) == told["StandardOutputContent"]


def test_long_output_is_cut_and_whole_in_the_bucket(nodes: Nodes) -> None:
    """The answer holds 24,000 characters; the bucket holds all."""
    nodes.stand_in.fleet.answer = lambda *_: FakeResult("x" * 30_000)
    told = nodes.finished(command_id := nodes.send())
    assert len(told["StandardOutputContent"]) == 24_000
    assert len(nodes.uploaded(command_id)) == 30_000


def test_failing_script_fails_the_invocation(nodes: Nodes) -> None:
    """Another exit status than 0 is Failed, with the status as response code."""
    nodes.stand_in.fleet.answer = lambda *_: FakeResult("", "boom", 3)
    told = nodes.finished(nodes.send())
    assert (told["Status"], told["ResponseCode"], told["StandardErrorContent"]) == ("Failed", 3, "boom")


def test_script_over_its_time_is_timed_out(nodes: Nodes) -> None:
    """A script that was stopped at its limit is TimedOut."""
    nodes.stand_in.fleet.answer = lambda *_: FakeResult("half", rc=None)
    told = nodes.finished(nodes.send())
    assert (told["Status"], told["StatusDetails"]) == ("TimedOut", "ExecutionTimedOut")


def test_node_that_does_not_answer_is_delivery_timed_out(nodes: Nodes) -> None:
    """A node whose agent is gone never gets the command."""
    from bedplate.sandbox.fleet import NodeUnreachable

    def lost(instance_id: str, _: str) -> FakeResult:
        raise NodeUnreachable(instance_id, "gone")

    nodes.stand_in.fleet.answer = lost
    told = nodes.finished(nodes.send())
    assert (told["Status"], told["StatusDetails"]) == ("TimedOut", "DeliveryTimedOut")


def test_cancelled_command_ends_as_cancelled(nodes: Nodes) -> None:
    """A command that is cancelled while it runs stays cancelled when the script ends."""
    release = threading.Event()

    def wait(*_: str) -> FakeResult:
        release.wait(10)
        return FakeResult("late")

    nodes.stand_in.fleet.answer = wait
    command_id = nodes.send()
    nodes.ssm.cancel_command(CommandId=command_id)
    assert nodes.finished(command_id)["Status"] == "Cancelled"
    release.set()
    nodes.stand_in.fleet.answer = lambda *_: FakeResult("next")
    assert nodes.finished(nodes.send())["Status"] == "Success"
    assert nodes.finished(command_id)["Status"] == "Cancelled"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"InstanceIds": ["i-0123456789abcdef0"]}, "InvalidInstanceId"),
        ({"Parameters": {"Arguments": ["a; rm -rf /"]}}, "InvalidParameters"),
        ({"Parameters": {}}, "InvalidParameters"),
        ({"Parameters": {"Arguments": ["a"], "Argumets": ["b"]}}, "InvalidParameters"),
        ({"DocumentName": "nobody-wrote-this"}, "InvalidDocument"),
    ],
)
def test_wrong_request_is_refused(nodes: Nodes, change: dict[str, Any], code: str) -> None:
    """What SSM refuses is refused with its error code, and nothing runs."""
    before = len(nodes.stand_in.fleet.scripts)
    with pytest.raises(ClientError) as refused:
        nodes.send(**change)
    assert refused.value.response["Error"]["Code"] == code
    assert len(nodes.stand_in.fleet.scripts) == before


def test_invocations_are_listed_for_all_nodes(nodes: Nodes) -> None:
    """One command to two nodes has two invocations, found by the paginator too."""
    command_id = nodes.send(InstanceIds=nodes.instance_ids)
    for instance_id in nodes.instance_ids:
        nodes.finished(command_id, instance_id)
    pages = nodes.ssm.get_paginator("list_command_invocations").paginate(CommandId=command_id, Details=True)
    told = [invocation for page in pages for invocation in page["CommandInvocations"]]
    assert {invocation["InstanceId"] for invocation in told} == set(nodes.instance_ids)
    assert {invocation["CommandPlugins"][0]["ResponseCode"] for invocation in told} == {0}


def test_run_shell_script_document_runs(nodes: Nodes) -> None:
    """AWS's own document runs the commands that it is given."""
    command_id = nodes.ssm.send_command(
        InstanceIds=nodes.instance_ids[:1],
        DocumentName="AWS-RunShellScript",
        Parameters={"commands": ["one", "two"]},
    )["Command"]["CommandId"]
    nodes.finished(command_id)
    assert nodes.stand_in.fleet.scripts[-1][1] == "one\ntwo\n"


def test_managed_nodes_are_told(nodes: Nodes) -> None:
    """Nodes that PCS launched are managed, and online when they answer."""
    filters = [{"Key": "InstanceIds", "Values": nodes.instance_ids}]
    told = nodes.ssm.describe_instance_information(Filters=filters)["InstanceInformationList"]
    assert {node["InstanceId"]: node["PingStatus"] for node in told} == dict.fromkeys(
        nodes.instance_ids, "Online"
    )


def test_switches_misreport(nodes: Nodes) -> None:
    """Each switch spoils the answer in its own way, in the reply and in the bucket alike."""
    first, second = nodes.instance_ids
    nodes.stand_in.fleet.answer = lambda instance_id, script: FakeResult(f"{instance_id} {script}")

    def spoilt(switch: str, arguments: str) -> tuple[dict[str, Any], str]:
        nodes.stand_in.options(ssm_answers={first: switch})
        command_id = nodes.send(arguments)
        return nodes.finished(command_id), command_id

    whole = f"{first} exec program old\n"
    nodes.finished(nodes.send("old"))
    stale, command_id = spoilt("stale", "new")
    assert stale["StandardOutputContent"] == nodes.uploaded(command_id) == whole
    cut, command_id = spoilt("cut", "old")
    assert cut["StandardOutputContent"] == nodes.uploaded(command_id) == whole[: len(whole) // 2]
    foreign, command_id = spoilt("foreign", "old")
    assert foreign["StandardOutputContent"] == nodes.uploaded(command_id)
    assert not foreign["StandardOutputContent"].startswith(first)
    empty, command_id = spoilt("empty", "old")
    assert (empty["Status"], empty["StandardOutputContent"]) == ("Success", "")
    with pytest.raises(ClientError, match="NoSuchKey"):
        nodes.uploaded(command_id)
    missing, command_id = spoilt("s3-missing", "old")
    assert missing["StandardOutputContent"] == whole
    with pytest.raises(ClientError, match="NoSuchKey"):
        nodes.uploaded(command_id)
    assert spoilt("undeliverable", "old")[0]["StatusDetails"] == "Undeliverable"
    assert spoilt("timed-out", "old")[0]["Status"] == "TimedOut"
    assert second in nodes.instance_ids


def test_unknown_switch_is_refused(nodes: Nodes) -> None:
    """A misspelt switch fails the command, lest a test pass for nothing."""
    nodes.stand_in.options(ssm_answers={"*": "emty"})
    told = nodes.finished(nodes.send())
    assert told["Status"] == "Failed"
    assert "emty" in told["StandardErrorContent"]


def test_document_content_survives_cloudformation(nodes: Nodes) -> None:
    """The document that a stack made is the one that SSM gives."""
    content = nodes.ssm.get_document(Name="ask")["Content"]
    assert json.loads(content) == DOCUMENT
