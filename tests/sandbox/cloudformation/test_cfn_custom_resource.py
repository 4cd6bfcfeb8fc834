"""Custom resources run their real handler in a child process."""

from __future__ import annotations

import io
import textwrap
import zipfile
from typing import Any

import pytest

from tests.sandbox.stand_in import StandIn, outputs

HANDLER = """
import json, os, urllib.request, boto3

def handler(event, context):
    p = event["ResourceProperties"]
    boto3.client("ssm").put_parameter(Name="/custom/" + p["Name"], Type="String", Overwrite=True,
        Value=event["RequestType"] + ":" + p.get("Text", "") + ":" + os.environ["MOOD"])
    if p.get("Raise") == "true":
        raise RuntimeError("broken on purpose")
    answer = {
        "Status": "FAILED" if p.get("Fail") == "true" and event["RequestType"] != "Delete" else "SUCCESS",
        "Reason": "as asked",
        "StackId": event["StackId"], "RequestId": event["RequestId"],
        "LogicalResourceId": event["LogicalResourceId"],
        "PhysicalResourceId": "thing-" + p.get("Text", ""),
        "Data": {"Shout": p.get("Text", "").upper() * int(p.get("Times", "1"))},
    }
    body = json.dumps(answer).encode()
    urllib.request.urlopen(urllib.request.Request(event["ResponseURL"], data=body, method="PUT",
                                                  headers={"content-type": ""}))
"""


@pytest.fixture(scope="module")
def code_bucket(stand_in_server: StandIn) -> str:
    """A bucket with the zipped handler."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("index.py", textwrap.dedent(HANDLER))
    s3 = stand_in_server.client("s3")
    s3.create_bucket(Bucket="custom-code", CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
    s3.put_object(Bucket="custom-code", Key="code.zip", Body=buffer.getvalue())
    return "custom-code"


def _resources(bucket: str, *, runtime: str = "python3.13", **properties: Any) -> dict[str, Any]:
    return {
        "Role": {
            "Type": "AWS::IAM::Role",
            "Properties": {"AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": []}},
        },
        "Function": {
            "Type": "AWS::Lambda::Function",
            "Properties": {
                "Code": {"S3Bucket": bucket, "S3Key": "code.zip"},
                "Handler": "index.handler",
                "Runtime": runtime,
                "Timeout": 20,
                "Role": {"Fn::GetAtt": ["Role", "Arn"]},
                "Environment": {"Variables": {"MOOD": "calm"}},
            },
        },
        "Thing": {
            "Type": "Custom::Thing",
            "Properties": {"ServiceToken": {"Fn::GetAtt": ["Function", "Arn"]}, **properties},
        },
    }


def _parameter(stand_in: StandIn, name: str) -> str:
    value: str = stand_in.client("ssm").get_parameter(Name=f"/custom/{name}")["Parameter"]["Value"]
    return value


def test_handler_runs_on_create_update_and_delete(stand_in: StandIn, code_bucket: str) -> None:
    """The handler sees each request, its data reaches the outputs, and scalars arrive as text."""
    shout = {"Shout": {"Value": {"Fn::GetAtt": ["Thing", "Shout"]}}}
    stack = stand_in.create(_resources(code_bucket, Name="all", Text="a", Times=2), Outputs=shout)
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    assert outputs(stack) == {"Shout": "AA"}
    assert stand_in.physical_id(stack["StackName"], "Thing") == "thing-a"
    assert _parameter(stand_in, "all") == "Create:a:calm"
    updated = stand_in.update(
        stack["StackName"], _resources(code_bucket, Name="all", Text="a", Times=3), Outputs=shout
    )
    assert outputs(updated) == {"Shout": "AAA"}
    assert _parameter(stand_in, "all") == "Update:a:calm"
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_COMPLETE"
    assert _parameter(stand_in, "all") == "Delete:a:calm"


def test_new_physical_id_deletes_the_old(stand_in: StandIn, code_bucket: str) -> None:
    """An update that answers with another physical id is followed by a Delete of the old one."""
    stack = stand_in.create(_resources(code_bucket, Name="moved", Text="a"))
    stand_in.update(stack["StackName"], _resources(code_bucket, Name="moved", Text="b"))
    assert stand_in.physical_id(stack["StackName"], "Thing") == "thing-b"
    assert _parameter(stand_in, "moved").startswith("Delete:")


@pytest.mark.parametrize(
    ("properties", "word"),
    [({"Fail": True}, "as asked"), ({"Raise": True}, "broken on purpose")],
)
def test_failing_handler_fails_the_stack(
    stand_in: StandIn, code_bucket: str, properties: dict[str, Any], word: str
) -> None:
    """A FAILED answer, or none, fails the stack with the reason, and does not leave it in progress."""
    stack = stand_in.create(_resources(code_bucket, Name="failed", **properties))
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert word in stand_in.reasons(stack["StackName"])


def test_answer_over_the_limit_fails(stand_in: StandIn, code_bucket: str) -> None:
    """CloudFormation takes 4,096 bytes of answer, and no more."""
    stack = stand_in.create(_resources(code_bucket, Name="long", Text="x" * 100, Times=50))
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "over 4096" in stand_in.reasons(stack["StackName"])


def test_other_runtime_is_refused(stand_in: StandIn, code_bucket: str) -> None:
    """Only Python handlers are played; another runtime is said to be so."""
    stack = stand_in.create(_resources(code_bucket, runtime="nodejs22.x", Name="node"))
    assert "SBX-016" in stand_in.reasons(stack["StackName"])
