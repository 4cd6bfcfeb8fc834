"""A cluster placement group."""

from __future__ import annotations

from aws_cdk import Stack
from constructs import Construct

from bedplate.constructs.l1 import aws_ec2 as ec2


class ClusterPlacementGroup(Construct):
    """Instances close together in one zone: right for on-demand nodes, wrong for most reservations.

    Whether a pool gets one is decided by its launch plan: a Capacity Block stands in one place already, and a
    group over a reservation that was made without it yields InsufficientInstanceCapacity (eksctl-io/eksctl
    #7949).
    """

    def __init__(self, scope: Construct, id: str) -> None:  # noqa: A002
        super().__init__(scope, id)
        group = ec2.CfnPlacementGroup(self, "Group", strategy="cluster")
        self.group_name: str = group.attr_group_name
        """The group's name, made by CloudFormation."""
        self.group_arn: str = Stack.of(self).format_arn(
            service="ec2", resource="placement-group", resource_name=self.group_name
        )
        """Its ARN, by which a capacity reservation is made in it."""
