"""Who may end instances, so that others come in their place."""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import Stack
from constructs import Construct

from bedplate.constructs.l1 import aws_iam as iam
from bedplate.constructs.partition import partition_of


class ReplacementAccess(Construct):
    """A managed policy to end instances of these PCS node groups, and no others.

    It is attached to nobody: whoever runs ``bedplate act`` with ``on_failure: replace`` needs it beside the
    operator's. PCS tags its instances with the node group's id, so that login nodes and whatever else runs in
    the account are out of reach.
    """

    def __init__(self, scope: Construct, id: str, *, node_group_ids: Sequence[str]) -> None:  # noqa: A002
        super().__init__(scope, id)
        if not node_group_ids:
            raise ValueError("node_group_ids is empty: a condition on nothing would let every instance end")
        stack = Stack.of(self)
        instances = f"arn:{partition_of(stack)}:ec2:{stack.region}:{stack.account}:instance/*"
        tag = "ec2:ResourceTag/aws:pcs:compute-node-group-id"
        policy = iam.CfnManagedPolicy(
            self,
            "Policy",
            description="Bedplate: end instances of the pools, so that others come in their place",
            policy_document={
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Sid": "EndNodesOfPools",
                        "Effect": "Allow",
                        "Action": ["ec2:TerminateInstances"],
                        "Resource": instances,
                        "Condition": {"StringEquals": {tag: list(node_group_ids)}},
                    },
                    {
                        "Sid": "LookAtReservations",
                        "Effect": "Allow",
                        "Action": ["ec2:DescribeCapacityReservations"],
                        "Resource": "*",
                    },
                ],
            },
        )
        self.policy_arn: str = policy.ref
        """ARN of the policy."""
