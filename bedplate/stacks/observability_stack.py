"""Metrics and alerts of an environment."""

from __future__ import annotations

from aws_cdk import CfnOutput
from constructs import Construct

from bedplate.capacity.times import CapacityTimes
from bedplate.constructs.alarm_topic import AlarmTopic
from bedplate.constructs.block_reminders import BlockReminders
from bedplate.constructs.metrics_workspace import MetricsWorkspace
from bedplate.constructs.partition import partition_of
from bedplate.lockfile import LockFile
from bedplate.slurm.pcs_cluster_shape import cluster_name
from bedplate.spec import Environment
from bedplate.spec.orchestrator import SlurmHyperPod
from bedplate.stacks.blocks import block_times, pool_times
from bedplate.stacks.environment_stack import EnvironmentStack
from bedplate.stacks.names import Role, stack_name
from bedplate.stacks.storage_stack import StorageStack
from bedplate.telemetry.alert_manager import alert_manager_definition
from bedplate.telemetry.alert_rules import rule_file

ALARMING: tuple[Role, ...] = ("observability", "orchestration")
"""Stacks whose alarms the topic admits. CloudFormation names an alarm after its stack, and those of a later
stack exist only once the topic does.
"""


class ObservabilityStack(EnvironmentStack):
    """AMP workspace with rules and alert manager, and the topic that people hear from.

    It stands before the orchestration stack, since nodes write to the workspace; what that stack has to say
    reaches the topic by its ARN. The end of each Capacity Block is told to the topic in time, and is an
    output, as are its other moments.
    """

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
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
        self.workspace = MetricsWorkspace(
            self,
            "Metrics",
            alias=cluster_name(environment.name),
            retention_days=wanted.retention_days,
            alert_manager_definition=alert_manager_definition(
                topic_arn=topic.topic_arn, region=environment.region, environment=environment.name
            ),
            rules=rule_file(
                environment=environment.name,
                xid_policies={each.xid: each.policy for each in environment.validation.xid_policies},
            ),
        )
        """The AMP workspace."""
        topic.allow_publishers(
            workspace_arn=self.workspace.workspace_arn, alarm_arns=self._alarms(environment.name)
        )
        if blocks:
            BlockReminders(self, "Blocks", blocks=blocks, topic_arn=topic.topic_arn, key_arn=topic.key_arn)
        for pool, times in pool_times(environment, lock).items():
            self._outputs(pool, times)

    def _alarms(self, environment: str) -> list[str]:
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
