"""Metrics and alerts of an environment."""

from __future__ import annotations

from aws_cdk import CfnOutput
from constructs import Construct

from bedplate.capacity.times import CapacityTimes
from bedplate.constructs.alarm_topic import AlarmTopic
from bedplate.constructs.block_reminders import BlockReminders
from bedplate.constructs.block_scaler_alarm import BlockScalerAlarm
from bedplate.constructs.hyperpod_health_events import HyperPodHealthEvents
from bedplate.constructs.metrics_workspace import MetricsWorkspace
from bedplate.lockfile import LockFile
from bedplate.spec import Environment
from bedplate.stacks.blocks import block_times, pool_times
from bedplate.stacks.environment_stack import EnvironmentStack
from bedplate.stacks.orchestration_stack import OrchestrationStack
from bedplate.telemetry.alert_manager import alert_manager_definition
from bedplate.telemetry.alert_rules import rule_file


class ObservabilityStack(EnvironmentStack):
    """AMP workspace with rules and alert manager, and the topic that people hear from.

    The end of each Capacity Block is told to the topic in time, and is an output, as are its other moments.
    So are errors of the function that scales node groups on blocks, which the orchestration stack has, and
    what HyperPod finds wrong with its nodes.
    """

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        orchestration: OrchestrationStack,
        lock: LockFile | None,
    ) -> None:
        super().__init__(
            scope, environment=environment, role="observability", purpose="metrics, rules and alerts"
        )
        wanted = environment.observability
        blocks = block_times(environment, lock)
        scaler, hyperpod = orchestration.slurm.block_scaler_name, orchestration.slurm.hyperpod
        topic = AlarmTopic(
            self,
            "Alarms",
            emails=wanted.alerts.emails,
            from_eventbridge=bool(blocks) or environment.validation.runs_by_itself or hyperpod is not None,
            from_cloudwatch=scaler is not None or hyperpod is not None,
        )
        self.topic_arn: str = topic.topic_arn
        """Topic that alerts go to."""
        self.topic_key_arn: str = topic.key_arn
        """Key that the topic is encrypted with."""
        self.workspace = MetricsWorkspace(
            self,
            "Metrics",
            alias=orchestration.slurm.name,
            retention_days=wanted.retention_days,
            alert_manager_definition=alert_manager_definition(
                topic_arn=topic.topic_arn, region=environment.region, environment=environment.name
            ),
            rules=rule_file(environment=environment.name),
        )
        """The AMP workspace."""
        alarms = []
        if scaler is not None:
            self.add_stack_dependency(orchestration)
            alarm = BlockScalerAlarm(self, "Scaler", function_name=scaler, topic_arn=topic.topic_arn)
            alarms.append(alarm.alarm_arn)
        if hyperpod is not None:
            self.add_stack_dependency(orchestration)
            events = HyperPodHealthEvents(
                self,
                "Health",
                cluster=hyperpod,
                topic_arn=topic.topic_arn,
                cluster_id=orchestration.slurm.cluster_id,
            )
            alarms.append(events.alarm_arn)
        topic.allow_publishers(workspace_arn=self.workspace.workspace_arn, alarm_arns=alarms)
        if blocks:
            BlockReminders(self, "Blocks", blocks=blocks, topic_arn=topic.topic_arn, key_arn=topic.key_arn)
        for pool, times in pool_times(environment, lock).items():
            self._outputs(pool, times)

    def _outputs(self, pool: str, times: CapacityTimes) -> None:
        word = "".join(part.capitalize() for part in pool.split("-"))
        for name, moment, text in (
            ("Start", times.start, "begins"),
            ("Warning", times.warning, "is about to end: EC2 sends its warning"),
            ("Taken", times.taken, "loses its instances from now on"),
            ("End", times.end, "ends"),
        ):
            CfnOutput(
                self,
                f"Pool{word}Block{name}",
                value=moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
                description=f"When the Capacity Block of pool {pool} {text}",
            )
