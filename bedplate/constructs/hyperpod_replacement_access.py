"""Who may have HyperPod replace nodes."""

from __future__ import annotations

from constructs import Construct

from bedplate.constructs.l1 import aws_iam as iam


class HyperPodReplacementAccess(Construct):
    """A managed policy to replace nodes of one HyperPod cluster, attached to nobody.

    Whoever runs ``bedplate act`` with ``on_failure: replace`` needs it beside the operator's. SageMaker knows
    no right on single nodes: the controller's and the login nodes' are in reach too.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        cluster_arn: str,
    ) -> None:
        super().__init__(scope, id)
        policy = iam.CfnManagedPolicy(
            self,
            "Policy",
            description="Bedplate: replace nodes of a HyperPod cluster",
            policy_document={
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Sid": "ReplaceNodes",
                        "Effect": "Allow",
                        "Action": ["sagemaker:BatchReplaceClusterNodes"],
                        "Resource": cluster_arn,
                    }
                ],
            },
        )
        self.policy_arn: str = policy.ref
        """ARN of the policy."""
