"""The role that HyperPod adds and deletes nodes by."""

from __future__ import annotations

from aws_cdk import Stack
from constructs import Construct

from bedplate.constructs.l1 import aws_iam as iam
from bedplate.constructs.partition import partition_of


class HyperPodScalingRole(Construct):
    """For the Karpenter that HyperPod runs under EKS: the cluster's ``ClusterRole``.

    Trust and actions are those of "Create an IAM role for HyperPod autoscaling with Karpenter" (SageMaker
    Developer Guide), without those on KMS keys: our groups have no volumes under keys of one's own. A
    cluster's ARN ends in an id that is made with it, so that the role reaches every HyperPod cluster of this
    account and Region.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
    ) -> None:
        super().__init__(scope, id)
        stack = Stack.of(self)
        clusters = f"arn:{partition_of(stack)}:sagemaker:{stack.region}:{stack.account}:cluster/*"
        policy = iam.CfnManagedPolicy(
            self,
            "Policy",
            policy_document={
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Sid": "ScaleGroups",
                        "Effect": "Allow",
                        "Action": ["sagemaker:BatchAddClusterNodes", "sagemaker:BatchDeleteClusterNodes"],
                        "Resource": clusters,
                    }
                ],
            },
        )
        role = iam.CfnRole(
            self,
            "Role",
            assume_role_policy_document={
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Effect": "Allow",
                        "Principal": {"Service": "hyperpod.sagemaker.amazonaws.com"},
                        "Action": "sts:AssumeRole",
                    }
                ],
            },
            managed_policy_arns=[policy.ref],
        )
        self.role_arn: str = role.attr_arn
        """The role's ARN."""
