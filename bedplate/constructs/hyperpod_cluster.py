"""A cluster of SageMaker HyperPod with Slurm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aws_cdk import Acknowledgment, Fn, Validations
from constructs import Construct

from bedplate.constructs.l1 import aws_sagemaker as sagemaker

_TYPE_IN_REGION = "CloudFormation-Validate::E3644"
_WHY_ANY_REGION = (
    "The CDK's table of types by Region is made of on-demand prices, so it has no p5e and no p6e-gb200 "
    "anywhere, which training plans sell; EC2 is asked before a deploy what the zone offers (PRE-006)."
)


class HyperPodCluster(Construct):
    """AWS::SageMaker::Cluster from the document of ``sagemaker create-cluster``.

    ``cluster`` is that request (``bedplate.slurm.hyperpod.cluster`` makes it): plain data that may hold CDK
    tokens. Name, VPC and each group's type of Slurm node are create-only. Instances lie in an account of
    AWS's: EC2 shows nothing of them but their network interfaces (docs/hyperpod.md).
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        cluster: Mapping[str, Any],
    ) -> None:
        super().__init__(scope, id)
        known = {
            "ClusterName": "cluster_name",
            "InstanceGroups": "instance_groups",
            "NodeProvisioningMode": "node_provisioning_mode",
            "NodeRecovery": "node_recovery",
            "Orchestrator": "orchestrator",
            "Tags": "tags",
            "VpcConfig": "vpc_config",
        }
        unknown = sorted(set(cluster) - set(known))
        if unknown:
            raise ValueError(f"cluster: {', '.join(unknown)} is no property that Slurm on HyperPod has here")
        self.resource = sagemaker.CfnCluster(
            self, "Cluster", **{known[name]: _kernel(value) for name, value in cluster.items()}
        )
        """The cluster."""
        Validations.of(self.resource).acknowledge(Acknowledgment(id=_TYPE_IN_REGION, reason=_WHY_ANY_REGION))
        self.cluster_arn: str = self.resource.attr_cluster_arn
        """Its ARN, which ends in the cluster's id."""
        self.cluster_id: str = Fn.select(1, Fn.split("cluster/", self.cluster_arn))
        """Its id, which SSM's targets and the log group are named by."""
        self.cluster_name: str = str(cluster["ClusterName"])
        """Its name."""


def _kernel(value: Any) -> Any:
    """The same with member names as the CDK's kernel spells them."""
    if isinstance(value, Mapping):
        return {f"{key[0].lower()}{key[1:]}": _kernel(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_kernel(item) for item in value]
    return value
