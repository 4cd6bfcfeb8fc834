"""Metrics and alerts of an environment."""

from __future__ import annotations

from constructs import Construct

from bedplate.constructs.alarm_topic import AlarmTopic
from bedplate.constructs.metrics_workspace import MetricsWorkspace
from bedplate.spec import Environment
from bedplate.stacks.environment_stack import EnvironmentStack
from bedplate.stacks.names import cluster_name
from bedplate.telemetry.alert_manager import alert_manager_definition
from bedplate.telemetry.alert_rules import rule_file


class ObservabilityStack(EnvironmentStack):
    """AMP workspace with rules and alert manager, and the topic that people hear from."""

    def __init__(self, scope: Construct, *, environment: Environment) -> None:
        super().__init__(
            scope, environment=environment, role="observability", purpose="metrics, rules and alerts"
        )
        wanted = environment.observability
        topic = AlarmTopic(self, "Alarms", emails=wanted.alerts.emails)
        self.topic_arn: str = topic.topic_arn
        """Topic that alerts go to."""
        self.workspace = MetricsWorkspace(
            self,
            "Metrics",
            alias=cluster_name(environment.name),
            retention_days=wanted.retention_days,
            alert_manager_definition=alert_manager_definition(
                topic_arn=topic.topic_arn, region=environment.region, environment=environment.name
            ),
            rules=rule_file(environment=environment.name),
        )
        """The AMP workspace."""
        topic.allow_alert_manager(workspace_arn=self.workspace.workspace_arn)
