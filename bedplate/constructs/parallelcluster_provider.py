"""ParallelCluster's own function in the account, which makes clusters of a template's custom resources."""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import CfnStack, Stack
from constructs import Construct

NODE_POLICY_PATH = "/parallelcluster/"
"""Path of managed policies that the provider's own role may put on nodes; beside them it may attach some of
AWS's own (aws-parallelcluster, cloudformation/policies/parallelcluster-policies.yaml, at 3.12; that 3.16 does
the same is unverified)."""


class ParallelClusterProvider(Construct):
    """The provider of one version of ParallelCluster, as a nested stack of the template that AWS publishes.

    Its clusters are of its version for life: ParallelCluster updates no cluster of another version. Without
    ``role_arn`` the template makes a role with ParallelCluster's own policies; ``policy_arns`` are added to
    it. Policies of nodes have ``NODE_POLICY_PATH``, or the role needs rights to attach them. Whoever deploys
    needs the capabilities IAM, NAMED_IAM and AUTO_EXPAND, which the CDK's command line gives. Its log stays.

    Sources: AWS ParallelCluster User Guide, "Provider stack hosted by AWS ParallelCluster" (3.16.1);
    aws-parallelcluster, cloudformation/custom_resource/cluster.yaml.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        version: str,
        role_arn: str | None = None,
        policy_arns: Sequence[str] = (),
    ) -> None:
        super().__init__(scope, id)
        if role_arn is not None and policy_arns:
            raise ValueError(
                "policy_arns: given with role_arn, where the provider leaves them out in silence"
            )
        stack = Stack.of(self)
        given = {"CustomLambdaRole": role_arn or "", "AdditionalIamPolicies": ",".join(policy_arns)}
        provider = CfnStack(
            self,
            "Stack",
            template_url=(
                f"https://{stack.region}-aws-parallelcluster.s3.{stack.region}.{stack.url_suffix}"
                f"/parallelcluster/{version}/templates/custom_resource/cluster.yaml"
            ),
            parameters={name: value for name, value in given.items() if value} or None,
        )
        self.version: str = version
        """The version of its clusters."""
        self.service_token: str = provider.get_att("Outputs.ServiceToken").to_string()
        """ARN of the function that answers custom resources."""
        self.log_group_arn: str = provider.get_att("Outputs.LogGroupArn").to_string()
        """Where it writes what became of each cluster."""
