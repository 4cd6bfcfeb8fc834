"""Who comes first in a HyperPod cluster under EKS, and what each team has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aws_cdk import Acknowledgment, CfnResource, Validations
from constructs import Construct, IDependable

from bedplate.constructs.l1 import aws_sagemaker as sagemaker

_UNKNOWN_TYPE = "CloudFormation-Validate::F3006"
_WHY_UNKNOWN = (
    "The pinned CDK's registry is older than AWS::SageMaker::ComputeQuota; cfn-lint's has it, and the tests "
    "hold each quota against that."
)


class HyperPodTaskGovernance(Construct):
    """A scheduler policy and a quota a team, from the documents of ``bedplate.kubernetes.hyperpod``.

    Both are told to the cluster by the task governance add-on, so that they come after ``after``, which names
    it. The quota is a generic resource: the pinned CDK has no class for AWS::SageMaker::ComputeQuota, so that
    a stack's tags reach the policy and not the quotas.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        scheduler: Mapping[str, Any],
        quotas: Mapping[str, Mapping[str, Any]],
        after: Sequence[IDependable],
    ) -> None:
        super().__init__(scope, id)
        config = scheduler["SchedulerConfig"]
        policy = sagemaker.CfnClusterSchedulerConfig(
            self,
            "Scheduler",
            name=scheduler["Name"],
            cluster_arn=scheduler["ClusterArn"],
            scheduler_config=sagemaker.CfnClusterSchedulerConfig.SchedulerConfigProperty(
                fair_share=config["FairShare"],
                idle_resource_sharing=config["IdleResourceSharing"],
                priority_classes=[
                    sagemaker.CfnClusterSchedulerConfig.PriorityClassProperty(
                        name=each["Name"], weight=each["Weight"]
                    )
                    for each in config["PriorityClasses"]
                ],
            ),
        )
        made: list[CfnResource] = [
            CfnResource(
                self, f"Quota-{team}", type="AWS::SageMaker::ComputeQuota", properties=dict(properties)
            )
            for team, properties in quotas.items()
        ]
        for quota in made:
            Validations.of(quota).acknowledge(Acknowledgment(id=_UNKNOWN_TYPE, reason=_WHY_UNKNOWN))
            # A cluster has one policy; whether quotas may come before it, no page says.
            quota.node.add_dependency(policy)
        for resource in (policy, *made):
            resource.node.add_dependency(*after)
        self.scheduler_config_arn: str = policy.attr_cluster_scheduler_config_arn
        """ARN of the policy."""
