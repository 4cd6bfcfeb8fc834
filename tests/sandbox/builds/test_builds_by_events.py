"""CodeBuild in the sandbox: what starts a build, what a build runs, and who hears of its end."""

from __future__ import annotations

import io
import json
import uuid
import zipfile
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError
from moto.sns.models import sns_backends

from bedplate.sandbox.builds.bus import EventBus
from bedplate.sandbox.builds.clock import ScheduleClock
from tests.sandbox.stand_in import StandIn, eventually, outputs

ACCOUNT = "123456789012"
MODULE = (
    "import json, os, sys\n"
    "import boto3\n"
    "told = {name: os.environ.get(name, '') for name in ('WHO', 'STARTED_BY', 'AWS_REGION', 'HOME')}\n"
    "boto3.client('s3').put_object(Bucket=sys.argv[1], Key='told.json', Body=json.dumps(told))\n"
    "sys.exit(int(sys.argv[2]))\n"
)


def wheel_source() -> bytes:
    """A zip as the runner's source is: a wheel with one module, and a list of requirements."""
    wheel, source = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("thing/__init__.py", "")
        archive.writestr("thing/__main__.py", MODULE)
    with zipfile.ZipFile(source, "w") as archive:
        archive.writestr("thing-1-py3-none-any.whl", wheel.getvalue())
        archive.writestr("requirements.txt", "")
    return source.getvalue()


def project(bucket: str, command: str) -> dict[str, Any]:
    """A project whose build runs one command."""
    spec = {
        "version": 0.2,
        "phases": {"install": {"commands": ["exit 9"]}, "build": {"commands": [command]}},
    }
    return {
        "Type": "AWS::CodeBuild::Project",
        "Properties": {
            "ServiceRole": f"arn:aws:iam::{ACCOUNT}:role/r",
            "Artifacts": {"Type": "NO_ARTIFACTS"},
            "Source": {"Type": "S3", "Location": f"{bucket}/source.zip", "BuildSpec": json.dumps(spec)},
            "Environment": {
                "Type": "LINUX_CONTAINER",
                "Image": "aws/codebuild/amazonlinux-x86_64-standard:5.0",
                "ComputeType": "BUILD_GENERAL1_SMALL",
                "EnvironmentVariables": [
                    {"Name": "WHO", "Value": "me"},
                    {"Name": "STARTED_BY", "Value": "hand"},
                ],
            },
            "TimeoutInMinutes": 5,
        },
    }


def rule(**when: Any) -> dict[str, Any]:
    """A rule that starts the project ``P``."""
    order = {"environmentVariablesOverride": [{"name": "STARTED_BY", "value": "event"}]}
    target = {
        "Arn": {"Fn::GetAtt": ["P", "Arn"]},
        "Id": "p",
        "RoleArn": f"arn:aws:iam::{ACCOUNT}:role/starter",
        "Input": json.dumps(order),
    }
    return {"Type": "AWS::Events::Rule", "Properties": {"Targets": [target], **when}}


@pytest.fixture
def bucket(stand_in: StandIn) -> str:
    """A bucket with the source in it."""
    name = f"b-{uuid.uuid4().hex[:8]}"
    s3 = stand_in.client("s3")
    s3.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
    s3.put_object(Bucket=name, Key="source.zip", Body=wheel_source())
    return name


def command(bucket: str, status: int = 0) -> str:
    """What the build runs: the module of the wheel."""
    return f"python3 -m thing {bucket} {status}"


def builds_of(stand_in: StandIn, name: str) -> list[dict[str, Any]]:
    """The builds of a project."""
    codebuild = stand_in.client("codebuild")
    ids = codebuild.list_builds_for_project(projectName=name)["ids"]
    return list(codebuild.batch_get_builds(ids=ids)["builds"]) if ids else []


def ended(stand_in: StandIn, name: str) -> dict[str, Any]:
    """The project's only build, once it has ended."""

    def look() -> Any:
        found = builds_of(stand_in, name)
        return found[0] if found and found[0]["buildComplete"] else None

    found: dict[str, Any] = eventually(look, 60)
    return found


def told(stand_in: StandIn, bucket: str) -> dict[str, str]:
    """What the build said of itself."""
    body = stand_in.client("s3").get_object(Bucket=bucket, Key="told.json")["Body"].read()
    found: dict[str, str] = json.loads(body)
    return found


def test_the_completion_of_a_stack_starts_a_build_that_runs_the_wheel(stand_in: StandIn, bucket: str) -> None:
    """The rule listens for the stack that holds it; the command finds the module and the override."""
    name = f"own-{uuid.uuid4().hex[:8]}"
    prefix = f"arn:aws:cloudformation:us-west-2:{ACCOUNT}:stack/{name}/"
    detail = {"stack-id": [{"prefix": prefix}], "status-details": {"status": ["CREATE_COMPLETE"]}}
    pattern = {
        "source": ["aws.cloudformation"],
        "detail-type": ["CloudFormation Stack Status Change"],
        "detail": detail,
    }
    stack = stand_in.create(
        {"P": project(bucket, command(bucket)), "R": rule(EventPattern=pattern)},
        name=name,
        Outputs={"Name": {"Value": {"Ref": "P"}}},
    )
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    build = ended(stand_in, outputs(stack)["Name"])
    assert build["buildStatus"] == "SUCCEEDED"
    found = told(stand_in, bucket)
    assert (found["WHO"], found["STARTED_BY"], found["AWS_REGION"]) == ("me", "event", "us-west-2")
    assert len(builds_of(stand_in, outputs(stack)["Name"])) == 1


def test_another_stack_starts_nothing(stand_in: StandIn, bucket: str) -> None:
    """A rule hears what its pattern names, and no more."""
    pattern = {"source": ["aws.cloudformation"], "detail": {"stack-id": [{"prefix": "arn:aws:other"}]}}
    stack = stand_in.create(
        {"P": project(bucket, command(bucket)), "R": rule(EventPattern=pattern)},
        Outputs={"Name": {"Value": {"Ref": "P"}}},
    )
    stand_in.create({"T": {"Type": "AWS::SNS::Topic"}})
    assert builds_of(stand_in, outputs(stack)["Name"]) == []


def test_a_build_by_hand_that_fails_is_told_to_a_topic(stand_in: StandIn, bucket: str) -> None:
    """StartBuild runs the same command; a status that is not 0 fails, and the rule's text reaches SNS."""
    failures = {
        "Type": "AWS::Events::Rule",
        "Properties": {
            "EventPattern": {
                "source": ["aws.codebuild"],
                "detail": {"project-name": [{"Ref": "P"}], "build-status": ["FAILED"]},
            },
            "Targets": [
                {
                    "Arn": {"Ref": "T"},
                    "Id": "t",
                    "InputTransformer": {
                        "InputPathsMap": {"status": "$.detail.build-status"},
                        "InputTemplate": '"It is <status>."',
                    },
                }
            ],
        },
    }
    stack = stand_in.create(
        {"P": project(bucket, command(bucket, 7)), "T": {"Type": "AWS::SNS::Topic"}, "R": failures},
        Outputs={"Name": {"Value": {"Ref": "P"}}, "Topic": {"Value": {"Ref": "T"}}},
    )
    name, topic = outputs(stack)["Name"], outputs(stack)["Topic"]
    stand_in.client("codebuild").start_build(projectName=name)
    assert ended(stand_in, name)["buildStatus"] == "FAILED"
    assert told(stand_in, bucket)["STARTED_BY"] == "hand"

    def sent() -> list[str]:
        backend = sns_backends[ACCOUNT]["us-west-2"]
        return [str(message[1]) for message in backend.topics[topic].sent_notifications]

    assert eventually(sent) == ['"It is FAILED."']


def test_a_build_can_be_stopped(stand_in: StandIn, bucket: str) -> None:
    """With what it started; it counts as stopped, and not as failed."""
    stack = stand_in.create({"P": project(bucket, "sleep 600")}, Outputs={"Name": {"Value": {"Ref": "P"}}})
    codebuild = stand_in.client("codebuild")
    build = codebuild.start_build(projectName=outputs(stack)["Name"])["build"]
    assert codebuild.stop_build(id=build["id"])["build"]["buildStatus"] == "STOPPED"
    assert ended(stand_in, outputs(stack)["Name"])["buildStatus"] == "STOPPED"


def test_a_source_that_is_not_there_is_a_fault_of_the_build(stand_in: StandIn, bucket: str) -> None:
    """And never a success."""
    stack = stand_in.create(
        {"P": project("no-such-bucket", "true")}, Outputs={"Name": {"Value": {"Ref": "P"}}}
    )
    stand_in.client("codebuild").start_build(projectName=outputs(stack)["Name"])
    assert ended(stand_in, outputs(stack)["Name"])["buildStatus"] == "FAULT"


def test_builds_can_be_held_back(stand_in: StandIn, bucket: str) -> None:
    """Tests that look at a deployed fleet are not disturbed by the runner that the deploy starts."""
    stand_in.options(builds="hold")
    stack = stand_in.create({"P": project(bucket, "true")}, Outputs={"Name": {"Value": {"Ref": "P"}}})
    stand_in.client("codebuild").start_build(projectName=outputs(stack)["Name"])
    (build,) = builds_of(stand_in, outputs(stack)["Name"])
    assert build["buildStatus"] == "IN_PROGRESS"


@pytest.mark.parametrize(
    "source",
    [
        {"Type": "GITHUB", "Location": "https://github.com/x/y"},
        {"Type": "S3", "Location": "b/k", "BuildSpec": "version: 0.2"},
    ],
)
def test_a_project_that_the_sandbox_cannot_run_is_refused(stand_in: StandIn, source: dict[str, str]) -> None:
    """An error, and not a project that does nothing."""
    made = project("b", "true")
    made["Properties"]["Source"] = source
    stack = stand_in.create({"P": made})
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "SBX-012" in stand_in.reasons(stack["StackName"])


def test_a_project_is_updated_and_deleted_with_its_stack(stand_in: StandIn, bucket: str) -> None:
    """The API tells what CloudFormation made of it."""
    stack = stand_in.create({"P": project(bucket, "true")}, Outputs={"Name": {"Value": {"Ref": "P"}}})
    codebuild, name = stand_in.client("codebuild"), outputs(stack)["Name"]
    changed = project(bucket, "true")
    changed["Properties"]["TimeoutInMinutes"] = 9
    stand_in.update(stack["StackName"], {"P": changed}, Outputs={"Name": {"Value": {"Ref": "P"}}})
    (found,) = codebuild.batch_get_projects(names=[name])["projects"]
    assert found["timeoutInMinutes"] == 9
    stand_in.delete(stack)
    assert codebuild.batch_get_projects(names=[name])["projectsNotFound"] == [name]
    with pytest.raises(ClientError, match="ResourceNotFoundException"):
        codebuild.start_build(projectName=name)


class Started:
    """A bus that only counts."""

    def __init__(self, *rules: tuple[str, str]) -> None:
        self.rules = rules
        self.fired: list[str] = []

    def scheduled_rules(self) -> Any:
        """The rules, each with its expression."""
        for arn, expression in self.rules:
            yield type("Rule", (), {"arn": arn})(), expression

    def fire(self, found: Any) -> None:
        """Count."""
        self.fired.append(found.arn)


def test_schedules_are_due_when_eventbridge_would_make_them() -> None:
    """The first time a period after the rule was made; cron at its minute, once."""
    bus = Started(("every", "rate(10 minutes)"), ("nightly", "cron(0 3 * * ? *)"), ("odd", "rate(x)"))
    clock = ScheduleClock(bus)  # type: ignore[arg-type]
    start = datetime(2026, 1, 1, 2, 55, tzinfo=UTC)
    for minute in range(21):
        clock.tick(start + timedelta(minutes=minute))
    assert bus.fired == ["nightly", "every", "every"]


def test_a_scheduled_rule_starts_a_build(stand_in: StandIn, bucket: str, monkeypatch) -> None:
    """The rule's own event carries its target's order, like any other."""
    started: list[dict[str, Any]] = []
    bus = EventBus(type("Builds", (), {"start": lambda self, **order: started.append(order)})())
    stack = stand_in.create(
        {"P": project(bucket, "true"), "R": rule(ScheduleExpression="rate(1 day)")},
        Outputs={"Name": {"Value": {"Ref": "P"}}},
    )
    mine = [
        found
        for found, expression in bus.scheduled_rules()
        if expression == "rate(1 day)" and outputs(stack)["Name"] in json.dumps(found.targets)
    ]
    assert len(mine) == 1
    bus.fire(mine[0])
    assert started == [
        {
            "account": ACCOUNT,
            "region": "us-west-2",
            "project_name": outputs(stack)["Name"],
            "overrides": {"STARTED_BY": "event"},
        }
    ]
