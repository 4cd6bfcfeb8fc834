"""People hear of the end of a Capacity Block in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from aws_cdk import CustomResource, Duration, RemovalPolicy, Stack
from constructs import Construct

import bedplate
from bedplate.capacity.block_events import block_event_pattern
from bedplate.constructs.handler_function import HandlerFunction
from bedplate.constructs.l1 import aws_events as events
from bedplate.constructs.l1 import aws_iam as iam
from bedplate.constructs.l1 import aws_scheduler as scheduler

BEFORE = {"DayBefore": timedelta(days=1), "HourBefore": timedelta(hours=1)}
"""Reminder → how long before EC2 begins to take the instances."""
WARNING = "Warning"
"""The reminder at the moment of EC2's own event, which may be lost."""
TIMEOUT_SECONDS = 60
KEPT_SECONDS = 3600
"""A reminder that could not be published for so long is given up."""


@dataclass(frozen=True, kw_only=True)
class BlockTimes:
    """A Capacity Block, who uses it, and its four moments (with a time zone)."""

    reservation_id: str
    used_by: str
    start: datetime
    warning: datetime
    taken: datetime
    end: datetime


class BlockReminders(Construct):
    """One-time schedules and a rule on EC2's own events, all to one topic.

    A schedule a day and an hour before EC2 begins to take the instances, and one at its warning. What has
    passed when the stack is deployed is made disabled: templates know no clock, and no source says what
    EventBridge Scheduler does with a time in the past. A schedule that has run stays where it is, for one
    that deletes itself would be missing at the stack's next update.

    The topic's policy and key must let EventBridge publish (``AlarmTopic(from_eventbridge=True)``). The
    schedules' role may publish to this topic and do nothing else.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        blocks: Sequence[BlockTimes],
        topic_arn: str,
        key_arn: str | None = None,
    ) -> None:
        super().__init__(scope, id)
        self._topic_arn = topic_arn
        self._role = self._publisher(key_arn)
        self._clock = HandlerFunction(
            self,
            "Clock",
            folder="capacity_blocks",
            handler="reminders.handler",
            description="Tells which reminders of Capacity Blocks are still to come",
            timeout_seconds=TIMEOUT_SECONDS,
        )
        for block in blocks:
            self._block(block)
        events.CfnRule(
            self,
            "FromEc2",
            description="EC2's own events about Capacity Blocks, to the alarm topic",
            event_pattern=block_event_pattern([block.reservation_id for block in blocks]),
            targets=[
                events.CfnRule.TargetProperty(
                    arn=topic_arn,
                    id="topic",
                    input_transformer=events.CfnRule.InputTransformerProperty(
                        input_paths_map={
                            "what": "$.detail-type",
                            "block": "$.detail.capacity-reservation-id",
                            "end": "$.detail.end-date",
                        },
                        input_template='"EC2 says: <what>. The block is <block>, its end <end>."',
                    ),
                )
            ],
        )

    def _block(self, block: BlockTimes) -> None:
        scope = Construct(self, f"Block{block.reservation_id.removeprefix('cr-')}")
        times = reminder_times(block)
        clock = CustomResource(
            scope,
            "Times",
            resource_type="Custom::BedplateReminders",
            service_token=self._clock.function_arn,
            removal_policy=RemovalPolicy.DESTROY,
            service_timeout=Duration.seconds(TIMEOUT_SECONDS * 2),
            properties={
                "Times": {name: f"{moment:%Y-%m-%dT%H:%M:%S}" for name, moment in times.items()},
                # Whatever changes a schedule asks the clock again, so that it is never updated into the past.
                "Schedule": [
                    reminder_text(block),
                    self._topic_arn,
                    self._role.attr_arn,
                    bedplate.__version__,
                ],
            },
        )
        for name in times:
            schedule = scheduler.CfnSchedule(
                scope,
                name,
                description=f"Capacity Block {block.reservation_id}: {name}",
                schedule_expression=clock.get_att_string(f"{name}At"),
                schedule_expression_timezone="UTC",
                state=clock.get_att_string(f"{name}State"),
                flexible_time_window=scheduler.CfnSchedule.FlexibleTimeWindowProperty(mode="OFF"),
                target=scheduler.CfnSchedule.TargetProperty(
                    arn=self._topic_arn,
                    role_arn=self._role.attr_arn,
                    input=reminder_text(block),
                    retry_policy=scheduler.CfnSchedule.RetryPolicyProperty(
                        maximum_event_age_in_seconds=KEPT_SECONDS, maximum_retry_attempts=20
                    ),
                ),
            )
            schedule.add_resource_dependency(self._rights)

    def _publisher(self, key_arn: str | None) -> iam.CfnRole:
        role = iam.CfnRole(
            self,
            "Publisher",
            assume_role_policy_document={
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Effect": "Allow",
                        "Principal": {"Service": "scheduler.amazonaws.com"},
                        "Action": "sts:AssumeRole",
                        "Condition": {"StringEquals": {"aws:SourceAccount": Stack.of(self).account}},
                    }
                ],
            },
        )
        statements: list[dict[str, object]] = [
            {"Sid": "Publish", "Effect": "Allow", "Action": ["sns:Publish"], "Resource": self._topic_arn}
        ]
        if key_arn is not None:
            statements.append(
                {
                    "Sid": "EncryptForTheTopic",
                    "Effect": "Allow",
                    "Action": ["kms:GenerateDataKey", "kms:Decrypt"],
                    "Resource": key_arn,
                }
            )
        self._rights = iam.CfnManagedPolicy(
            self,
            "PublisherPolicy",
            roles=[role.ref],
            policy_document={"Version": "2012-10-17", "Statement": statements},
        )
        return role


def reminder_times(block: BlockTimes) -> Mapping[str, datetime]:
    """Reminder → when; those that would come before the block has begun are left out."""
    times = {name: block.taken - before for name, before in BEFORE.items()} | {WARNING: block.warning}
    return {name: moment for name, moment in times.items() if moment > block.start}


def reminder_text(block: BlockTimes) -> str:
    """What people read; the same for all reminders, for the times in it are what matters."""
    return (
        f"Capacity Block {block.reservation_id} ({block.used_by}) ends at {block.end:%Y-%m-%d %H:%M} UTC. "
        f"EC2 takes its instances from {block.taken:%H:%M} UTC on. Save what runs there, or extend the block "
        "and run `bedplate lock`."
    )
