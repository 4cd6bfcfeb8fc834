"""A VPC's flow logs."""

from __future__ import annotations

from aws_cdk import ArnFormat, RemovalPolicy, Stack
from constructs import Construct

from bedplate.constructs.l1 import aws_ec2 as ec2
from bedplate.constructs.l1 import aws_iam as iam
from bedplate.constructs.l1 import aws_logs as logs

RETENTION_DAYS = 90


class FlowLogs(Construct):
    """Flow logs of a VPC to a log group of their own, kept ``retention_days`` days.

    EFA traffic never shows in flow logs: it bypasses the kernel and the VPC's own data path. What shows is
    everything else, refused connections above all.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        vpc_id: str,
        retention_days: int = RETENTION_DAYS,
    ) -> None:
        super().__init__(scope, id)
        group = logs.CfnLogGroup(self, "LogGroup", retention_in_days=retention_days)
        group.apply_removal_policy(RemovalPolicy.DESTROY)
        role = self._role(group)
        ec2.CfnFlowLog(
            self,
            "FlowLog",
            resource_id=vpc_id,
            resource_type="VPC",
            traffic_type="ALL",
            log_destination_type="cloud-watch-logs",
            log_destination=_plain_arn(group),
            deliver_logs_permission_arn=role.attr_arn,
            max_aggregation_interval=600,
        )

    def _role(self, group: logs.CfnLogGroup) -> iam.CfnRole:
        account = Stack.of(self).account
        role = iam.CfnRole(
            self,
            "Role",
            assume_role_policy_document={
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Effect": "Allow",
                        "Principal": {"Service": "vpc-flow-logs.amazonaws.com"},
                        "Action": "sts:AssumeRole",
                        "Condition": {"StringEquals": {"aws:SourceAccount": account}},
                    }
                ],
            },
        )
        iam.CfnManagedPolicy(
            self,
            "Policy",
            roles=[role.ref],
            policy_document={
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Sid": "WriteFlowLogs",
                        "Effect": "Allow",
                        "Action": [
                            "logs:CreateLogStream",
                            "logs:PutLogEvents",
                            "logs:DescribeLogStreams",
                        ],
                        "Resource": [_plain_arn(group), f"{_plain_arn(group)}:log-stream:*"],
                    }
                ],
            },
        )
        return role


def _plain_arn(group: logs.CfnLogGroup) -> str:
    """The group's ARN without the ``:*`` that CloudFormation's ``Arn`` attribute ends with."""
    return Stack.of(group).format_arn(
        service="logs",
        resource="log-group",
        resource_name=group.ref,
        arn_format=ArnFormat.COLON_RESOURCE_NAME,
    )
