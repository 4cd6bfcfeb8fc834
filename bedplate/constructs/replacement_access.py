"""Who may end instances, so that others come in their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aws_cdk import Stack
from constructs import Construct

from bedplate.constructs.l1 import aws_iam as iam
from bedplate.constructs.partition import partition_of


class ReplacementAccess(Construct):
    """A managed policy to end instances that have all of these tags, each with one of its values.

    It is attached to nobody: whoever runs ``bedplate act`` with ``on_failure: replace`` needs it beside the
    operator's. The tags are those that the service puts on the pools' instances, so that login nodes and
    whatever else runs in the account are out of reach.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        tags: Mapping[str, Sequence[str]],
    ) -> None:
        super().__init__(scope, id)
        if not tags or not all(tags.values()):
            raise ValueError("tags: a tag without a value is no condition, and would let every instance end")
        stack = Stack.of(self)
        instances = f"arn:{partition_of(stack)}:ec2:{stack.region}:{stack.account}:instance/*"
        wanted = {f"ec2:ResourceTag/{tag}": list(values) for tag, values in tags.items()}
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
                        "Condition": {"StringEquals": wanted},
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
