"""What a node of a Kubernetes cluster may do in AWS."""

from __future__ import annotations

from aws_cdk import Stack
from constructs import Construct

from bedplate.constructs.l1 import aws_iam as iam

POLICIES = (
    "AmazonEKSWorkerNodePolicy",
    "AmazonEC2ContainerRegistryPullOnly",
    "AmazonSSMManagedInstanceCore",
)
"""EKS User Guide, "Amazon EKS node IAM role". The CNI has its rights by a pod identity, whose agent is on
the node's own network and needs none.
"""


class EksNodeRole(Construct):
    """Role of the nodes of managed node groups; EKS makes the instance profile, and the access entry."""

    def __init__(self, scope: Construct, id: str) -> None:  # noqa: A002
        super().__init__(scope, id)
        partition = Stack.of(self).partition
        role = iam.CfnRole(
            self,
            "Role",
            assume_role_policy_document={
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Effect": "Allow",
                        "Principal": {"Service": "ec2.amazonaws.com"},
                        "Action": "sts:AssumeRole",
                    }
                ],
            },
            managed_policy_arns=[f"arn:{partition}:iam::aws:policy/{name}" for name in POLICIES],
        )
        self.role_arn: str = role.attr_arn
        """ARN."""
        self.role_name: str = role.ref
        """Name."""
