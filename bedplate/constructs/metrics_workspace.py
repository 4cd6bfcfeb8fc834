"""A workspace of Amazon Managed Service for Prometheus."""

from __future__ import annotations

from aws_cdk import RemovalPolicy, Stack
from constructs import Construct

from bedplate.constructs.l1 import aws_aps as aps
from bedplate.constructs.l1 import aws_logs as logs

LOG_RETENTION_DAYS = 90


class MetricsWorkspace(Construct):
    """Metrics, rules over them, and the alert manager.

    ``alert_manager_definition`` and ``rules`` are YAML texts (``bedplate.telemetry`` makes them). Faults of
    rules and alert manager show only in the workspace's log group, so it has one. The workspace stays when
    the stack goes.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        alias: str,
        retention_days: int,
        alert_manager_definition: str,
        rules: str,
    ) -> None:
        super().__init__(scope, id)
        # AMP may write only to groups whose name starts so (AMP User Guide, "CloudWatch Logs").
        group = logs.CfnLogGroup(
            self,
            "LogGroup",
            log_group_name=f"/aws/vendedlogs/prometheus/{Stack.of(self).stack_name}",
            retention_in_days=LOG_RETENTION_DAYS,
        )
        group.apply_removal_policy(RemovalPolicy.DESTROY)
        self.resource = aps.CfnWorkspace(
            self,
            "Workspace",
            alias=alias,
            alert_manager_definition=alert_manager_definition,
            logging_configuration=aps.CfnWorkspace.LoggingConfigurationProperty(log_group_arn=group.attr_arn),
            workspace_configuration=aps.CfnWorkspace.WorkspaceConfigurationProperty(
                retention_period_in_days=retention_days
            ),
        )
        """The workspace."""
        self.resource.apply_removal_policy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
        aps.CfnRuleGroupsNamespace(
            self, "Rules", name="bedplate", workspace=self.resource.attr_arn, data=rules
        )
        self.workspace_id: str = self.resource.attr_workspace_id
        """Id, ``ws-…``."""
        self.workspace_arn: str = self.resource.attr_arn
        """The workspace's ARN."""
        self.endpoint: str = self.resource.attr_prometheus_endpoint
        """URL that ends with a slash; ``api/v1/remote_write`` follows it."""
