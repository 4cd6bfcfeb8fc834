"""Tells people when a workspace's alerts have stopped, which no alert can."""

from __future__ import annotations

from aws_cdk import Stack
from constructs import Construct

from bedplate.constructs.l1 import aws_sns as sns
from bedplate.constructs.metric_alarms import MetricAlarms
from bedplate.constructs.topic_statements import from_alert_manager, tls_only
from bedplate.telemetry.amp_alarms import WATCHDOG_SILENT


class Watchdog(Construct):
    """A topic without subscribers for the alert that always fires, and an alarm on its silence.

    The alarm goes to ``alarm_topic_arn``, not by way of the workspace. ``key_arn`` is a key that lets AMP use
    it, such as an ``AlarmTopic``'s. Give the topic to ``alert_manager_definition(watchdog_topic_arn=…)`` and
    the alert to ``rule_file(watchdog=True)``; ``watch`` comes after the workspace, which names the topic.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        key_arn: str,
        alarm_topic_arn: str,
    ) -> None:
        super().__init__(scope, id)
        self._alarm_topic_arn = alarm_topic_arn
        self.resource = sns.CfnTopic(self, "Topic", kms_master_key_id=key_arn)
        """The topic."""
        self.topic_arn: str = self.resource.attr_topic_arn
        """The topic's ARN."""

    def watch(self, *, workspace_arn: str, rules: Construct) -> None:
        """Let the workspace's alert manager publish, and ring when it has not for a while.

        The alarm waits for ``rules``, so that it does not ring for what is not deployed yet.
        """
        policy = sns.CfnTopicPolicy(
            self,
            "Policy",
            topics=[self.topic_arn],
            policy_document={
                "Version": "2012-10-17",
                "Statement": [
                    from_alert_manager(
                        topic_arn=self.topic_arn, workspace_arn=workspace_arn, account=Stack.of(self).account
                    ),
                    tls_only(self.topic_arn),
                ],
            },
        )
        alarms = MetricAlarms(
            self,
            "Silence",
            alarms=[WATCHDOG_SILENT],
            resource={"TopicName": self.resource.attr_topic_name},
            what="Alerts",
            topic_arn=self._alarm_topic_arn,
        )
        alarms.node.add_dependency(policy, rules)
        self.alarm_arns: tuple[str, ...] = alarms.alarm_arns
        """The alarm's ARN."""
