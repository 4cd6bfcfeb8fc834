"""PCS node groups on Capacity Blocks have their nodes while the block lasts, and not before or after."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aws_cdk import CustomResource, Duration, RemovalPolicy, Stack
from constructs import Construct

from bedplate.capacity.block_events import block_event_pattern
from bedplate.constructs.handler_function import HandlerFunction
from bedplate.constructs.l1 import aws_events as events
from bedplate.constructs.l1 import aws_lambda as lambda_
from bedplate.constructs.partition import partition_of

TIMEOUT_SECONDS = 120
TICK_MINUTES = 5
"""How often the function looks, beside EC2's events; less than the ten minutes between warning and end."""

_LOOKS = [
    "ec2:DescribeCapacityReservations",
    "ec2:DescribeInstanceTypeOfferings",
    "ec2:DescribeInstanceTypes",
    "ec2:DescribeLaunchTemplateVersions",
    "ec2:DescribeLaunchTemplates",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeSubnets",
    "ec2:DescribeVpcs",
]
"""What PCS looks up with the rights of whoever updates a node group; none takes a resource."""


@dataclass(frozen=True, kw_only=True)
class BlockNodeGroup:
    """A PCS node group whose nodes come from a block; strings may be CDK tokens.

    ``minimum`` is held while the block is active, until ``warning_minutes`` before its end. ``settings`` are
    the node group's properties that may change: each change of them makes CloudFormation write the template's
    minimum (zero) again, after which the function has to run.
    """

    node_group_id: str
    node_group_arn: str
    reservation_id: str
    minimum: int
    warning_minutes: int
    settings: tuple[str, ...]


class BlockScaler(Construct):
    """A function that raises node groups' minimum at their block's delivery and lowers it at the warning.

    EC2's events wake it, a rule every few minutes does, and each deploy that touches a node group; it asks
    EC2 for the block's state and changes what differs. It may update these node groups alone; the further
    rights are those that PCS demands of whoever updates one (PCS User Guide, "Minimum permissions").
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        cluster_id: str,
        groups: Sequence[BlockNodeGroup],
        node_role_arn: str,
        instance_profile_arn: str,
    ) -> None:
        super().__init__(scope, id)
        self._function = HandlerFunction(
            self,
            "Scaler",
            folder="capacity_blocks",
            handler="scale.handler",
            description="Holds the minimum of PCS node groups on Capacity Blocks",
            timeout_seconds=TIMEOUT_SECONDS,
            statements=_statements(
                groups,
                node_role_arn=node_role_arn,
                instance_profile_arn=instance_profile_arn,
                launch_templates=_launch_templates(Stack.of(self)),
            ),
            environment={"NODE_GROUPS": json.dumps([_wanted(cluster_id, group) for group in groups])},
        )
        self.function_name: str = self._function.function_name
        """Name of the function, for an alarm on its errors."""
        scaled = CustomResource(
            self,
            "AtDeploy",
            resource_type="Custom::BedplateBlockScaling",
            service_token=self._function.function_arn,
            removal_policy=RemovalPolicy.DESTROY,
            service_timeout=Duration.seconds(TIMEOUT_SECONDS * 2),
            properties={"NodeGroups": [_stamp(group) for group in groups]},
        )
        reservations = list(dict.fromkeys(group.reservation_id for group in groups))
        for rule in (
            self._rule("AtEvents", event_pattern=block_event_pattern(reservations)),
            self._rule("AtTimes", schedule_expression=f"rate({TICK_MINUTES} minutes)"),
        ):
            # The first look is the deploy's, which tells why it failed where it does.
            rule.node.add_dependency(scaled)

    def _rule(self, name: str, **properties: object) -> events.CfnRule:
        rule = events.CfnRule(
            self,
            name,
            description="Wakes the function that scales node groups on Capacity Blocks",
            targets=[events.CfnRule.TargetProperty(arn=self._function.function_arn, id="function")],
            **properties,  # type: ignore[arg-type]
        )
        lambda_.CfnPermission(
            self,
            f"{name}Permission",
            action="lambda:InvokeFunction",
            function_name=self._function.function_arn,
            principal="events.amazonaws.com",
            source_arn=rule.attr_arn,
        )
        return rule


def _wanted(cluster_id: str, group: BlockNodeGroup) -> Mapping[str, object]:
    return {
        "cluster": cluster_id,
        "group": group.node_group_id,
        "reservation": group.reservation_id,
        "minimum": group.minimum,
        "warning_minutes": group.warning_minutes,
    }


def _stamp(group: BlockNodeGroup) -> list[str]:
    return [group.node_group_id, group.reservation_id, str(group.minimum), *group.settings]


def _launch_templates(stack: Stack) -> str:
    return f"arn:{partition_of(stack)}:ec2:{stack.region}:{stack.account}:launch-template/*"


def _statements(
    groups: Sequence[BlockNodeGroup], *, node_role_arn: str, instance_profile_arn: str, launch_templates: str
) -> list[Mapping[str, object]]:
    return [
        {
            "Sid": "ScaleNodeGroups",
            "Effect": "Allow",
            "Action": ["pcs:GetComputeNodeGroup", "pcs:UpdateComputeNodeGroup"],
            "Resource": [group.node_group_arn for group in groups],
        },
        {"Sid": "LookForPcs", "Effect": "Allow", "Action": _LOOKS, "Resource": "*"},
        {
            "Sid": "LaunchForPcs",
            "Effect": "Allow",
            "Action": ["ec2:RunInstances"],
            "Resource": "*",
            "Condition": {"ArnLike": {"ec2:LaunchTemplate": launch_templates}},
        },
        {"Sid": "FleetForPcs", "Effect": "Allow", "Action": ["ec2:CreateFleet"], "Resource": "*"},
        {
            "Sid": "TagForPcs",
            "Effect": "Allow",
            "Action": ["ec2:CreateTags"],
            "Resource": "*",
            "Condition": {"StringEquals": {"ec2:CreateAction": ["CreateFleet", "RunInstances"]}},
        },
        {
            "Sid": "PassNodeRole",
            "Effect": "Allow",
            "Action": ["iam:PassRole"],
            "Resource": node_role_arn,
            "Condition": {"StringEquals": {"iam:PassedToService": "ec2.amazonaws.com"}},
        },
        {
            "Sid": "ReadProfile",
            "Effect": "Allow",
            "Action": ["iam:GetInstanceProfile"],
            "Resource": instance_profile_arn,
        },
    ]
