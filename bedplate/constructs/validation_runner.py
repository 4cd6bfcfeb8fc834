"""The runner in the account validates after a deploy or on a schedule, and tells of anything but a pass."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from aws_cdk import RemovalPolicy, Stack
from constructs import Construct

from bedplate.constructs.l1 import aws_codebuild as codebuild
from bedplate.constructs.l1 import aws_ec2 as ec2
from bedplate.constructs.l1 import aws_events as events
from bedplate.constructs.l1 import aws_iam as iam
from bedplate.constructs.l1 import aws_logs as logs
from bedplate.constructs.partition import partition_of
from bedplate.constructs.runner_source import RunnerSource

IMAGE = "aws/codebuild/amazonlinux-x86_64-standard:5.0"
"""CodeBuild's own image of Amazon Linux 2023; it has the Python that the build asks for."""
PYTHON = "3.12"
METRIC_NAMESPACE = "Bedplate/Validation"
LOG_RETENTION_DAYS = 90
DEFAULT_TIMEOUT_MINUTES = 480
DONE = ("CREATE_COMPLETE", "UPDATE_COMPLETE")
NOT_TOLD = ("FAILED", "FAULT", "STOPPED", "TIMED_OUT")
"""How a build ends whose run could not tell the topic itself."""

_INSTALL = [
    "python3 -m pip install --quiet --require-hashes -r requirements.txt",
    "python3 -m pip install --quiet --no-deps ./bedplate-*.whl",
]
# 4: the run was judged, kept and told, and is no pass. Any other status is a run that told nobody.
_RUN = (
    'python3 -m bedplate.cli.main runner "$BEDPLATE_ENVIRONMENT" --started-by "$BEDPLATE_STARTED_BY" '
    "$BEDPLATE_STACKS || [ $? -eq 4 ]"
)


class ValidationRunner(Construct):
    """A CodeBuild project in private subnets that runs ``bedplate runner``, and what starts it.

    ``after_deploy`` starts it whenever one of ``stack_names`` has been created or updated; it waits itself
    until all of them are at rest, and for a run that is under way. ``schedule`` is an EventBridge rate or
    cron expression. Its role has the operator's policy and ``further_policy_arns``, and may read its source,
    describe the stacks, put metrics into one namespace and publish to the topic; nobody else can take it. The
    subnets need a way out: to AWS, and to PyPI for what ``runner_requirements.txt`` names by hash.

    The topic's policy and key must let EventBridge publish (``AlarmTopic(from_eventbridge=True)``): a build
    that fails before it could tell anything is told by a rule.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        environment: str,
        operator_policy_arn: str,
        further_policy_arns: Sequence[str] = (),
        vpc_id: str,
        subnet_ids: Sequence[str],
        topic_arn: str,
        key_arn: str | None = None,
        stack_names: Sequence[str] = (),
        after_deploy: bool = False,
        schedule: str | None = None,
        timeout_minutes: int = DEFAULT_TIMEOUT_MINUTES,
    ) -> None:
        super().__init__(scope, id)
        if after_deploy and not stack_names:
            raise ValueError("stack_names is empty: after_deploy has no stack whose end it could hear")
        stack = Stack.of(self)
        self._partition = partition_of(stack)
        self._here = f"{stack.region}:{stack.account}"
        self._stack_names = tuple(stack_names)
        group = logs.CfnLogGroup(self, "LogGroup", retention_in_days=LOG_RETENTION_DAYS)
        group.apply_removal_policy(RemovalPolicy.DESTROY)
        source = RunnerSource(self, "Source")
        managed = [operator_policy_arn, *further_policy_arns]
        role = self._role("Role", service="codebuild.amazonaws.com", managed=managed)
        rights = iam.CfnManagedPolicy(
            self,
            "Policy",
            roles=[role.ref],
            policy_document=_document(
                *self._own_rights(source, log_arn=group.attr_arn, topic_arn=topic_arn, key_arn=key_arn),
                *self._network_rights(subnet_ids),
            ),
        )
        self.resource = codebuild.CfnProject(
            self,
            "Project",
            description=f"Bedplate: validates environment {environment}",
            service_role=role.attr_arn,
            artifacts=codebuild.CfnProject.ArtifactsProperty(type="NO_ARTIFACTS"),
            source=codebuild.CfnProject.SourceProperty(
                type="S3", location=f"{source.bucket_name}/{source.key}", build_spec=_build_spec()
            ),
            environment=codebuild.CfnProject.EnvironmentProperty(
                type="LINUX_CONTAINER",
                compute_type="BUILD_GENERAL1_MEDIUM",
                image=IMAGE,
                privileged_mode=False,
                environment_variables=[
                    codebuild.CfnProject.EnvironmentVariableProperty(name=name, value=value)
                    for name, value in self._variables(environment).items()
                ],
            ),
            logs_config=codebuild.CfnProject.LogsConfigProperty(
                cloud_watch_logs=codebuild.CfnProject.CloudWatchLogsConfigProperty(
                    status="ENABLED", group_name=group.ref
                )
            ),
            vpc_config=codebuild.CfnProject.VpcConfigProperty(
                vpc_id=vpc_id, subnets=list(subnet_ids), security_group_ids=[self._group(vpc_id)]
            ),
            timeout_in_minutes=timeout_minutes,
        )
        """The project."""
        self.resource.add_resource_dependency(rights)
        self.project_name: str = self.resource.ref
        """The project's name: ``aws codebuild start-build --project-name`` starts a run by hand."""
        self._tell_failures(topic_arn)
        starter = self._starter()
        if after_deploy:
            self._start("AfterDeploy", "deploy", starter, event_pattern=self._deployed())
        if schedule is not None:
            self._start("OnSchedule", "schedule", starter, schedule_expression=schedule)

    def _variables(self, environment: str) -> Mapping[str, str]:
        return {
            "BEDPLATE_ENVIRONMENT": environment,
            "BEDPLATE_STACKS": " ".join(f"--stack {name}" for name in self._stack_names),
            "BEDPLATE_STARTED_BY": "hand",
        }

    def _role(self, name: str, *, service: str, managed: Sequence[str] = ()) -> iam.CfnRole:
        return iam.CfnRole(
            self,
            name,
            managed_policy_arns=list(managed) or None,
            assume_role_policy_document=_document(
                {
                    "Effect": "Allow",
                    "Principal": {"Service": service},
                    "Action": "sts:AssumeRole",
                    "Condition": {"StringEquals": {"aws:SourceAccount": Stack.of(self).account}},
                }
            ),
        )

    def _own_rights(
        self, source: RunnerSource, *, log_arn: str, topic_arn: str, key_arn: str | None
    ) -> list[dict[str, object]]:
        bucket = f"arn:{self._partition}:s3:::{source.bucket_name}"
        rights: list[dict[str, object]] = [
            _allow("ReadSource", ["s3:GetObject", "s3:GetObjectVersion"], f"{bucket}/{source.key}"),
            # CodeBuild looks whose bucket it is before it reads (CodeBuild User Guide, service role).
            _allow("FindSource", ["s3:GetBucketAcl", "s3:GetBucketLocation"], bucket),
            _allow("WriteOwnLog", ["logs:CreateLogStream", "logs:PutLogEvents"], log_arn),
            _allow("Tell", ["sns:Publish"], topic_arn),
            {
                **_allow("PutMetrics", ["cloudwatch:PutMetricData"], "*"),
                "Condition": {"StringEquals": {"cloudwatch:namespace": METRIC_NAMESPACE}},
            },
        ]
        if key_arn is not None:
            rights.append(_allow("EncryptForTheTopic", ["kms:GenerateDataKey", "kms:Decrypt"], key_arn))
        if self._stack_names:
            arns = [f"{self._stack_arn(name)}*" for name in self._stack_names]
            rights.append(_allow("FollowStacks", ["cloudformation:DescribeStacks"], arns))
        return rights

    def _network_rights(self, subnet_ids: Sequence[str]) -> list[dict[str, object]]:
        """What CodeBuild needs to stand in a VPC (CodeBuild User Guide, "Allow CodeBuild access to AWS
        services required to create a VPC network interface").
        """
        subnets = [f"arn:{self._partition}:ec2:{self._here}:subnet/{each}" for each in subnet_ids]
        interfaces = f"arn:{self._partition}:ec2:{self._here}:network-interface/*"
        return [
            _allow(
                "StandInTheVpc",
                [
                    "ec2:CreateNetworkInterface",
                    "ec2:DeleteNetworkInterface",
                    "ec2:DescribeDhcpOptions",
                    "ec2:DescribeNetworkInterfaces",
                    "ec2:DescribeSecurityGroups",
                    "ec2:DescribeSubnets",
                    "ec2:DescribeVpcs",
                ],
                "*",
            ),
            {
                **_allow("LendInterfaces", ["ec2:CreateNetworkInterfacePermission"], interfaces),
                "Condition": {
                    "StringEquals": {"ec2:AuthorizedService": "codebuild.amazonaws.com"},
                    "ArnEquals": {"ec2:Subnet": subnets},
                },
            },
        ]

    def _group(self, vpc_id: str) -> str:
        group = ec2.CfnSecurityGroup(
            self,
            "Group",
            group_description="Validation runner: HTTPS out, no one comes in",
            vpc_id=vpc_id,
            security_group_egress=[
                ec2.CfnSecurityGroup.EgressProperty(
                    ip_protocol="tcp",
                    from_port=443,
                    to_port=443,
                    cidr_ip="0.0.0.0/0",
                    description="AWS services, and PyPI for locked packages",
                )
            ],
        )
        return str(group.attr_group_id)

    def _stack_arn(self, name: str) -> str:
        return f"arn:{self._partition}:cloudformation:{self._here}:stack/{name}/"

    def _deployed(self) -> Mapping[str, object]:
        return {
            "source": ["aws.cloudformation"],
            "detail-type": ["CloudFormation Stack Status Change"],
            "detail": {
                "stack-id": [{"prefix": self._stack_arn(name)} for name in self._stack_names],
                "status-details": {"status": list(DONE)},
            },
        }

    def _starter(self) -> iam.CfnRole:
        role = self._role("Starter", service="events.amazonaws.com")
        iam.CfnManagedPolicy(
            self,
            "StarterPolicy",
            roles=[role.ref],
            policy_document=_document(
                _allow("StartRunner", ["codebuild:StartBuild"], self.resource.attr_arn)
            ),
        )
        return role

    def _start(self, name: str, started_by: str, starter: iam.CfnRole, **when: object) -> None:
        order = {"environmentVariablesOverride": [{"name": "BEDPLATE_STARTED_BY", "value": started_by}]}
        events.CfnRule(
            self,
            name,
            description="Starts the runner that validates the environment",
            targets=[
                events.CfnRule.TargetProperty(
                    arn=self.resource.attr_arn,
                    id="runner",
                    role_arn=starter.attr_arn,
                    input=json.dumps(order),
                )
            ],
            **when,  # type: ignore[arg-type]
        )

    def _tell_failures(self, topic_arn: str) -> None:
        events.CfnRule(
            self,
            "Failures",
            description="A validation that could not be made, to the alarm topic",
            event_pattern={
                "source": ["aws.codebuild"],
                "detail-type": ["CodeBuild Build State Change"],
                "detail": {"project-name": [self.project_name], "build-status": list(NOT_TOLD)},
            },
            targets=[
                events.CfnRule.TargetProperty(
                    arn=topic_arn,
                    id="topic",
                    input_transformer=events.CfnRule.InputTransformerProperty(
                        input_paths_map={"build": "$.detail.build-id", "status": "$.detail.build-status"},
                        input_template='"The validation could not be made: build <build> is <status>. '
                        'Its log in CloudWatch says why."',
                    ),
                )
            ],
        )


def _build_spec() -> str:
    spec = {
        "version": 0.2,
        "phases": {
            "install": {"runtime-versions": {"python": PYTHON}, "commands": _INSTALL},
            "build": {"commands": [_RUN]},
        },
    }
    return json.dumps(spec)


def _allow(sid: str, actions: list[str], resource: str | list[str]) -> dict[str, object]:
    return {"Sid": sid, "Effect": "Allow", "Action": actions, "Resource": resource}


def _document(*statements: dict[str, object]) -> dict[str, object]:
    return {"Version": "2012-10-17", "Statement": list(statements)}
