"""A workspace of Amazon Managed Service for Prometheus."""

from __future__ import annotations

from typing import Any

from aws_cdk import RemovalPolicy, Stack
from constructs import Construct

from bedplate.constructs.l1 import aws_aps as aps
from bedplate.constructs.l1 import aws_logs as logs

LOG_RETENTION_DAYS = 90
OUT_OF_ORDER_SECONDS = 600
"""AMP's own is 60: a collector that could not send for some minutes would lose them (ours)."""
RULE_OFFSET_SECONDS = 30
"""Half of a usual scrape interval (ours)."""


class MetricsWorkspace(Construct):
    """Metrics, rules over them, and the alert manager.

    ``alert_manager_definition`` and ``rules`` are YAML texts (``bedplate.telemetry`` makes them). Faults of
    rules and alert manager show only in the workspace's log group, so it has one. The workspace stays when
    the stack goes.

    Samples may come ``OUT_OF_ORDER_SECONDS`` late, and rules look ``RULE_OFFSET_SECONDS`` back, so that what
    is still on its way is there. Series with the label ``environment`` of this value are counted apart in
    CloudWatch, and are at most ``max_series``: AMP throws new ones away over it. Zero, which is what no
    limit becomes, counts and limits nothing.
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
        environment: str | None = None,
        max_series: int | None = None,
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
                retention_period_in_days=retention_days,
                out_of_order_time_window_in_seconds=OUT_OF_ORDER_SECONDS,
                rule_query_offset_in_seconds=RULE_OFFSET_SECONDS,
                limits_per_label_sets=_limits(environment, max_series),
            ),
        )
        """The workspace."""
        self.resource.apply_removal_policy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
        self.rules = aps.CfnRuleGroupsNamespace(
            self, "Rules", name="bedplate", workspace=self.resource.attr_arn, data=rules
        )
        """The rules."""
        self.workspace_id: str = self.resource.attr_workspace_id
        """Id, ``ws-…``."""
        self.workspace_arn: str = self.resource.attr_arn
        """The workspace's ARN."""
        self.endpoint: str = self.resource.attr_prometheus_endpoint
        """URL that ends with a slash; ``api/v1/remote_write`` follows it."""


def _limits(environment: str | None, series: int | None) -> list[Any] | None:
    if environment is None:
        return None
    workspace = aps.CfnWorkspace
    label = workspace.LabelProperty(name="environment", value=environment)
    limits = workspace.LimitsPerLabelSetEntryProperty(max_series=series or 0)
    return [workspace.LimitsPerLabelSetProperty(label_set=[label], limits=limits)]
