"""A VPC's flow logs."""

from __future__ import annotations

from aws_cdk import RemovalPolicy, Stack
from constructs import Construct

from bedplate.constructs.l1 import aws_ec2 as ec2
from bedplate.constructs.l1 import aws_iam as iam
from bedplate.constructs.l1 import aws_logs as logs
from bedplate.constructs.partition import partition_of

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
        stack = Stack.of(self)
        # Without the ":*" that CloudFormation's Arn attribute ends with.
        group_arn = f"arn:{partition_of(stack)}:logs:{stack.region}:{stack.account}:log-group:{group.ref}"
        role = self._role(group_arn, account=stack.account)
        ec2.CfnFlowLog(
            self,
            "FlowLog",
            resource_id=vpc_id,
            resource_type="VPC",
            traffic_type="ALL",
            log_destination_type="cloud-watch-logs",
            log_destination=group_arn,
            deliver_logs_permission_arn=role.attr_arn,
            max_aggregation_interval=600,
        )

    def _role(self, group_arn: str, *, account: str) -> iam.CfnRole:
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
                        "Resource": [group_arn, f"{group_arn}:log-stream:*"],
                    }
                ],
            },
        )
        return role
