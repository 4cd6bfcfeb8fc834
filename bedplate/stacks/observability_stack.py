"""Metrics and alerts of an environment."""

from __future__ import annotations

from aws_cdk import CfnOutput
from constructs import Construct

from bedplate.capacity.times import CapacityTimes
from bedplate.constructs.alarm_topic import AlarmTopic
from bedplate.constructs.block_reminders import BlockReminders
from bedplate.constructs.metric_alarms import MetricAlarms
from bedplate.constructs.metrics_workspace import MetricsWorkspace
from bedplate.constructs.partition import partition_of
from bedplate.constructs.watchdog import Watchdog
from bedplate.lockfile import LockFile
from bedplate.slurm.pcs_cluster_shape import cluster_name
from bedplate.spec import Environment
from bedplate.spec.observability import PagerDutyAlerts
from bedplate.spec.orchestrator import SlurmHyperPod
from bedplate.stacks.blocks import block_times, pool_times
from bedplate.stacks.environment_stack import EnvironmentStack
from bedplate.stacks.file_system_alarms import alarmed_resource, file_system_alarms
from bedplate.stacks.grafana import DeployedGrafana, add_grafana
from bedplate.stacks.names import Role, stack_name
from bedplate.stacks.network_stack import NetworkStack
from bedplate.stacks.storage_stack import StorageStack
from bedplate.telemetry.alert_manager import alert_manager_definition
from bedplate.telemetry.alert_rules import rule_file
from bedplate.telemetry.amp_alarms import amp_alarms
from bedplate.telemetry.pager_duty import PagerDuty

ALARMING: tuple[Role, ...] = ("observability", "orchestration")
"""Stacks whose alarms the topic admits. CloudFormation names an alarm after its stack, and those of a later
stack exist only once the topic does.
"""


class ObservabilityStack(EnvironmentStack):
    """AMP workspace with rules and alert manager, and the topic that people hear from.

    It stands before the orchestration stack, since nodes write to the workspace; what that stack has to say
    reaches the topic by its ARN. Alarms of CloudWatch watch the workspace, the alerts' own way, and the file
    systems, which Prometheus does not see. The end of each Capacity Block is told to the topic in time, and
    is an output, as are its other moments.
    """

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        network: NetworkStack,
        storage: StorageStack,
        lock: LockFile | None,
    ) -> None:
        super().__init__(
            scope, environment=environment, role="observability", purpose="metrics, rules and alerts"
        )
        self.add_stack_dependency(storage)
        wanted = environment.observability
        blocks = block_times(environment, lock)
        hyperpod = isinstance(environment.orchestrator, SlurmHyperPod)
        topic = AlarmTopic(
            self,
            "Alarms",
            emails=wanted.alerts.emails,
            from_eventbridge=bool(blocks) or environment.validation.runs_by_itself or hyperpod,
            from_cloudwatch=True,
        )
        self.topic_arn: str = topic.topic_arn
        """Topic that alerts go to."""
        self.topic_key_arn: str = topic.key_arn
        """Key that the topic is encrypted with."""
        watchdog = Watchdog(self, "Watchdog", key_arn=topic.key_arn, alarm_topic_arn=topic.topic_arn)
        self.workspace = MetricsWorkspace(
            self,
            "Metrics",
            alias=cluster_name(environment.name),
            retention_days=wanted.retention_days,
            alert_manager_definition=alert_manager_definition(
                topic_arn=topic.topic_arn,
                region=environment.region,
                environment=environment.name,
                watchdog_topic_arn=watchdog.topic_arn,
                pager_duty=_pager_duty(wanted.alerts.pagerduty),
            ),
            rules=rule_file(
                environment=environment.name,
                xid_policies={each.xid: each.policy for each in environment.validation.xid_policies},
                watchdog=True,
                capacity_ends={pool: times.end for pool, times in pool_times(environment, lock).items()},
                cluster=cluster_name(environment.name),
            ),
            environment=environment.name,
            max_series=wanted.max_series,
        )
        """The AMP workspace."""
        watchdog.watch(workspace_arn=self.workspace.workspace_arn, rules=self.workspace.rules)
        topic.allow_publishers(
            workspace_arn=self.workspace.workspace_arn, alarm_arns=self._admitted(environment.name)
        )
        self._alarms(wanted.max_series, storage)
        if blocks:
            BlockReminders(self, "Blocks", blocks=blocks, topic_arn=topic.topic_arn, key_arn=topic.key_arn)
        for pool, times in pool_times(environment, lock).items():
            self._outputs(pool, times)
        self.grafana: DeployedGrafana | None = add_grafana(
            self, environment=environment, metrics=self.workspace, network=network
        )
        """Where people look at dashboards; None where the environment asks for none."""

    def _alarms(self, max_series: int | None, storage: StorageStack) -> None:
        workspace_id = self.workspace.workspace_id
        MetricAlarms(
            self,
            "MetricsAlarms",
            alarms=amp_alarms(max_series=max_series),
            resource={"Workspace": workspace_id, "ResourceId": workspace_id},
            what="Metrics",
            topic_arn=self.topic_arn,
        )
        for each in storage.file_systems:
            MetricAlarms(
                self,
                f"FileSystem{each.path.replace('/', ':')}",
                alarms=file_system_alarms(each),
                resource=alarmed_resource(each),
                what=each.path,
                topic_arn=self.topic_arn,
            )

    def _admitted(self, environment: str) -> list[str]:
        """Patterns of alarms' ARNs."""
        start = f"arn:{partition_of(self)}:cloudwatch:{self.region}:{self.account}:alarm"
        return [f"{start}:{stack_name(environment=environment, role=role)}-*" for role in ALARMING]

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


def _pager_duty(wanted: PagerDutyAlerts | None) -> PagerDuty | None:
    return PagerDuty(secret_arn=wanted.secret, secret_key=wanted.key) if wanted else None
