"""The role that a Grafana workspace reads metrics by."""

from __future__ import annotations

from aws_cdk import Stack
from constructs import Construct

from bedplate.constructs.l1 import aws_iam as iam
from bedplate.constructs.partition import partition_of

QUERY = ("aps:GetLabels", "aps:GetMetricMetadata", "aps:GetSeries", "aps:QueryMetrics")
SHOW_ALERTS = (
    "aps:GetAlertManagerStatus",
    "aps:ListAlertManagerAlertGroups",
    "aps:ListAlertManagerAlerts",
    "aps:ListAlertManagerReceivers",
    "aps:ListAlertManagerSilences",
    "aps:ListAlerts",
    "aps:ListRules",
)
"""What Grafana's own pages of alerts ask (Amazon Managed Grafana User Guide); nothing that changes any."""
CLOUDWATCH = (
    "cloudwatch:DescribeAlarmHistory",
    "cloudwatch:DescribeAlarms",
    "cloudwatch:DescribeAlarmsForMetric",
    "cloudwatch:GetMetricData",
    "cloudwatch:ListMetrics",
)


class GrafanaRole(Construct):
    """May read one Prometheus workspace with its rules and alerts, and CloudWatch's metrics and alarms.

    No logs, no silences, and nothing of other services. The workspaces of this account and Region alone may
    take it; the one that does is made after it, so its id is not known here.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        metrics_arn: str,
    ) -> None:
        super().__init__(scope, id)
        stack = Stack.of(self)
        workspaces = f"arn:{partition_of(stack)}:grafana:{stack.region}:{stack.account}:/workspaces/*"
        role = iam.CfnRole(
            self,
            "Role",
            description="Grafana reads metrics of the cluster by it",
            assume_role_policy_document={
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Effect": "Allow",
                        "Principal": {"Service": "grafana.amazonaws.com"},
                        "Action": "sts:AssumeRole",
                        "Condition": {
                            "StringEquals": {"aws:SourceAccount": stack.account},
                            "StringLike": {"aws:SourceArn": workspaces},
                        },
                    }
                ],
            },
        )
        self.policy = iam.CfnManagedPolicy(
            self,
            "Policy",
            roles=[role.ref],
            policy_document={
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Sid": "QueryMetrics",
                        "Effect": "Allow",
                        "Action": list(QUERY),
                        "Resource": metrics_arn,
                    },
                    {
                        "Sid": "ShowAlerts",
                        "Effect": "Allow",
                        "Action": list(SHOW_ALERTS),
                        "Resource": metrics_arn,
                    },
                    {
                        "Sid": "ReadCloudWatch",
                        "Effect": "Allow",
                        "Action": list(CLOUDWATCH),
                        "Resource": "*",
                    },
                ],
            },
        )
        """What it may do; whoever takes the role waits for it."""
        self.arn: str = role.attr_arn
        """The role's ARN."""
