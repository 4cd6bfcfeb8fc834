"""Tells people what HyperPod finds wrong with a cluster and its nodes."""

from __future__ import annotations

from collections.abc import Mapping

from constructs import Construct

from bedplate.constructs.hyperpod_cluster import HyperPodCluster
from bedplate.constructs.l1 import aws_cloudwatch as cloudwatch
from bedplate.constructs.l1 import aws_events as events
from bedplate.constructs.l1 import aws_logs as logs

PERIOD_SECONDS = 300
NAMESPACE = "Bedplate/HyperPod"
METRIC = "HealthEvents"
FINDING = '{ $.HealthMonitoringAgentDetectionEvent = "HealthEvent" }'
"""What the health monitoring agent writes of each finding (SageMaker Developer Guide, "SageMaker HyperPod
health monitoring agent")."""


class HyperPodHealthEvents(Construct):
    """Three rules on HyperPod's own events and an alarm on its agents' log, all to one topic.

    The events and their fields are those of "SageMaker HyperPod cluster events reference" and "Events that
    Amazon SageMaker AI sends to Amazon EventBridge" (SageMaker Developer Guide): a node's health, an error of
    any operation, a cluster that fails or is rolled back. The reference says so of every cluster with
    continuous provisioning; an open tool of AWS's says that on Slurm the agents' findings come as no event
    (awslabs/awsome-distributed-ai, ``hyperpod-mental-model.md``). So the alarm reads what the agents write to
    the cluster's log group as well, which people may then hear of twice.

    The log group is made by HyperPod with the cluster; that it is there by the time the filter is made has
    been tried in no account. The topic's policy and key must let EventBridge and CloudWatch publish
    (``AlarmTopic(from_eventbridge=True, from_cloudwatch=True)``, ``allow_publishers``).
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        cluster: HyperPodCluster,
        topic_arn: str,
    ) -> None:
        super().__init__(scope, id)
        group = f"/aws/sagemaker/Clusters/{cluster.cluster_name}/{cluster.cluster_id}"
        self._topic_arn = topic_arn
        arn = [cluster.cluster_arn]
        self._rule(
            "NodeHealth",
            "SageMaker HyperPod Cluster Node Health Event",
            {"ClusterArn": arn},
            {
                "node": "$.detail.InstanceId",
                "health": "$.detail.HealthSummary.HealthStatus",
                "why": "$.detail.HealthSummary.HealthStatusReason",
                "repair": "$.detail.HealthSummary.RepairAction",
            },
            '"HyperPod says of node <node>: <health>. <why> Repair: <repair>."',
        )
        self._rule(
            "Errors",
            "SageMaker HyperPod Cluster Event",
            {"EventDetails": {"ClusterArn": arn, "EventLevel": ["Error"]}},
            {
                "cluster": "$.detail.EventDetails.ClusterName",
                "what": "$.detail.EventDetails.Description",
                "event": "$.detail.EventDetails.EventId",
            },
            '"HyperPod cluster <cluster>: <what> (describe-cluster-event --event-id <event> says why)"',
        )
        self._rule(
            "ClusterStatus",
            "SageMaker HyperPod Cluster State Change",
            {"ClusterArn": arn, "ClusterStatus": ["Failed", "RollingBack"]},
            {"cluster": "$.detail.ClusterName", "status": "$.detail.ClusterStatus"},
            '"HyperPod cluster <cluster> is <status>."',
        )
        metric = f"{METRIC}-{cluster.cluster_name}"
        logs.CfnMetricFilter(
            self,
            "Findings",
            log_group_name=group,
            filter_pattern=FINDING,
            metric_transformations=[
                logs.CfnMetricFilter.MetricTransformationProperty(
                    metric_namespace=NAMESPACE, metric_name=metric, metric_value="1"
                )
            ],
        )
        alarm = cloudwatch.CfnAlarm(
            self,
            "Alarm",
            alarm_description=f"HyperPod's health monitoring agents found a fault on {cluster.cluster_name}:"
            " the log streams SagemakerHealthMonitoringAgent/GROUP/INSTANCE of its log group say what.",
            namespace=NAMESPACE,
            metric_name=metric,
            statistic="Sum",
            period=PERIOD_SECONDS,
            evaluation_periods=1,
            threshold=1,
            comparison_operator="GreaterThanOrEqualToThreshold",
            treat_missing_data="notBreaching",
            alarm_actions=[topic_arn],
        )
        self.alarm_arn: str = alarm.attr_arn
        """The alarm's ARN."""

    def _rule(
        self,
        id: str,  # noqa: A002
        detail_type: str,
        detail: Mapping[str, object],
        paths: Mapping[str, str],
        template: str,
    ) -> None:
        rule = events.CfnRule
        events.CfnRule(
            self,
            id,
            description=f"{detail_type}, to the alarm topic",
            event_pattern={"source": ["aws.sagemaker"], "detail-type": [detail_type], "detail": detail},
            targets=[
                rule.TargetProperty(
                    arn=self._topic_arn,
                    id="topic",
                    input_transformer=rule.InputTransformerProperty(
                        input_paths_map=dict(paths), input_template=template
                    ),
                )
            ],
        )
