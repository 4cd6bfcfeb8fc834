"""The runner in the account: what starts it, what it may do, and who hears of its failures."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

Synthesise = Callable[[Any], dict[str, Any]]
TOPIC = "arn:aws:sns:us-west-2:111122223333:alarms"
KEY = "arn:aws:kms:us-west-2:111122223333:key/1"
POLICY = "arn:aws:iam::111122223333:policy/operator"


@pytest.fixture
def template(synthesise: Synthesise) -> Callable[..., dict[str, Any]]:
    """The template of a stack with one runner; keywords go to it."""

    def made(**given: Any) -> dict[str, Any]:
        def build(stack: Any) -> None:
            from bedplate.constructs.validation_runner import ValidationRunner

            ValidationRunner(
                stack,
                "Runner",
                environment="research",
                operator_policy_arn=POLICY,
                vpc_id="vpc-1",
                subnet_ids=["subnet-1", "subnet-2"],
                topic_arn=TOPIC,
                key_arn=KEY,
                **{"stack_names": ["one", "two"], **given},
            )

        return synthesise(build)

    return made


def of_type(template: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """The resources of one type."""
    return [each for each in template["Resources"].values() if each["Type"] == kind]


def rules(template: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The rules by what starts them."""
    found = {}
    for rule in of_type(template, "AWS::Events::Rule"):
        properties = rule["Properties"]
        source = properties.get("EventPattern", {}).get("source", ["schedule"])[0]
        found[source] = properties
    return found


def test_the_end_of_any_of_the_stacks_starts_it_and_says_so(template: Callable[..., dict[str, Any]]) -> None:
    """Created or updated, by ARN; the build is told that a deploy started it."""
    found = rules(template(after_deploy=True))
    assert set(found) == {"aws.cloudformation", "aws.codebuild"}
    rule = found["aws.cloudformation"]
    assert rule["EventPattern"]["detail-type"] == ["CloudFormation Stack Status Change"]
    detail = rule["EventPattern"]["detail"]
    assert detail["status-details"]["status"] == ["CREATE_COMPLETE", "UPDATE_COMPLETE"]
    prefixes = [json.dumps(each["prefix"]) for each in detail["stack-id"]]
    assert ["stack/one/" in prefixes[0], "stack/two/" in prefixes[1]] == [True, True]
    (target,) = rule["Targets"]
    assert json.loads(target["Input"]) == {
        "environmentVariablesOverride": [{"name": "BEDPLATE_STARTED_BY", "value": "deploy"}]
    }
    assert target["RoleArn"]


def test_a_runner_that_could_hear_no_deploy_is_refused(template: Callable[..., dict[str, Any]]) -> None:
    """Its rule would match nothing, in silence."""
    with pytest.raises(ValueError, match="stack_names is empty"):
        template(after_deploy=True, stack_names=[])


def test_a_schedule_starts_it_too(template: Callable[..., dict[str, Any]]) -> None:
    """With the expression as it was given; without one there is no such rule."""
    found = rules(template(schedule="cron(0 3 ? * SUN *)"))
    assert set(found) == {"schedule", "aws.codebuild"}
    assert found["schedule"]["ScheduleExpression"] == "cron(0 3 ? * SUN *)"
    (target,) = found["schedule"]["Targets"]
    assert "schedule" in target["Input"]


def test_a_build_that_told_nobody_is_told(template: Callable[..., dict[str, Any]]) -> None:
    """Failed, stopped, timed out or broken before it could say anything: the topic hears of it."""
    rule = rules(template())["aws.codebuild"]
    assert rule["EventPattern"]["detail"]["build-status"] == ["FAILED", "FAULT", "STOPPED", "TIMED_OUT"]
    assert [target["Arn"] for target in rule["Targets"]] == [TOPIC]


def test_the_build_installs_by_hash_and_runs_the_entry_point(template: Callable[..., dict[str, Any]]) -> None:
    """Locked packages, our wheel, one command; of its exit codes only a told verdict is no failure."""
    (project,) = of_type(template(), "AWS::CodeBuild::Project")
    properties = project["Properties"]
    spec = json.loads(properties["Source"]["BuildSpec"])
    install, build = (spec["phases"][phase]["commands"] for phase in ("install", "build"))
    assert "--require-hashes -r requirements.txt" in install[0]
    assert "--no-deps" in install[1]
    command = 'python3 -m bedplate.cli.main runner "$BEDPLATE_ENVIRONMENT"'
    options = '--started-by "$BEDPLATE_STARTED_BY" $BEDPLATE_STACKS'
    assert build == [f"{command} {options} || [ $? -eq 4 ]"]
    variables = {each["Name"]: each["Value"] for each in properties["Environment"]["EnvironmentVariables"]}
    assert variables == {
        "BEDPLATE_ENVIRONMENT": "research",
        "BEDPLATE_STACKS": "--stack one --stack two",
        "BEDPLATE_STARTED_BY": "hand",
    }
    assert properties["Environment"]["PrivilegedMode"] is False


def test_it_stands_in_private_subnets_and_nobody_comes_in(template: Callable[..., dict[str, Any]]) -> None:
    """Its group lets HTTPS out and nothing in."""
    made = template()
    (group,) = of_type(made, "AWS::EC2::SecurityGroup")
    assert "SecurityGroupIngress" not in group["Properties"]
    (egress,) = group["Properties"]["SecurityGroupEgress"]
    assert (egress["FromPort"], egress["ToPort"], egress["IpProtocol"]) == (443, 443, "tcp")
    (project,) = of_type(made, "AWS::CodeBuild::Project")
    assert project["Properties"]["VpcConfig"]["Subnets"] == ["subnet-1", "subnet-2"]


def test_it_may_what_an_operator_may_and_what_a_runner_needs(template: Callable[..., dict[str, Any]]) -> None:
    """The operator's policy, and statements that end at its source, its stacks, one namespace, one topic."""
    made = template(after_deploy=True, further_policy_arns=["arn:aws:iam::111122223333:policy/replace"])
    by_service = {}
    for role in of_type(made, "AWS::IAM::Role"):
        (statement,) = role["Properties"]["AssumeRolePolicyDocument"]["Statement"]
        assert "aws:SourceAccount" in statement["Condition"]["StringEquals"]
        by_service[statement["Principal"]["Service"]] = role["Properties"]
    assert by_service["codebuild.amazonaws.com"]["ManagedPolicyArns"] == [
        POLICY,
        "arn:aws:iam::111122223333:policy/replace",
    ]
    assert "ManagedPolicyArns" not in by_service["events.amazonaws.com"]
    statements = {
        statement["Sid"]: statement
        for policy in of_type(made, "AWS::IAM::ManagedPolicy")
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]
    }
    assert statements["Tell"]["Resource"] == TOPIC
    assert statements["EncryptForTheTopic"]["Resource"] == KEY
    assert statements["PutMetrics"]["Condition"] == {
        "StringEquals": {"cloudwatch:namespace": "Bedplate/Validation"}
    }
    assert statements["StartRunner"]["Action"] == ["codebuild:StartBuild"]
    lend = statements["LendInterfaces"]["Condition"]
    assert lend["StringEquals"] == {"ec2:AuthorizedService": "codebuild.amazonaws.com"}
    assert len(lend["ArnEquals"]["ec2:Subnet"]) == 2
    assert [sid for sid, each in statements.items() if each["Resource"] == "*"] == [
        "PutMetrics",
        "StandInTheVpc",
    ]


def test_the_metric_namespace_is_the_one_that_the_runner_puts_into() -> None:
    """The role allows one namespace; the program that runs under it uses that one."""
    from bedplate.constructs.validation_runner import METRIC_NAMESPACE
    from bedplate.validation.runner.metrics import NAMESPACE

    assert METRIC_NAMESPACE == NAMESPACE


def test_what_starts_it_is_known_to_the_entry_point() -> None:
    """Each word that a rule puts into the build is one that the command takes."""
    import inspect

    from bedplate.constructs import validation_runner
    from bedplate.validation.runner.run import STARTED_BY

    source = inspect.getsource(validation_runner)
    assert {word for word in STARTED_BY if f'"{word}"' in source} == {"deploy", "schedule", "hand"}
