"""A cluster of SageMaker HyperPod, with Slurm or under EKS."""

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

_EVERY = {
    "ClusterName": "cluster_name",
    "InstanceGroups": "instance_groups",
    "NodeProvisioningMode": "node_provisioning_mode",
    "NodeRecovery": "node_recovery",
    "Orchestrator": "orchestrator",
    "Tags": "tags",
    "VpcConfig": "vpc_config",
}
_EKS = {
    "AutoScaling": "auto_scaling",
    "ClusterRole": "cluster_role",
    "TieredStorageConfig": "tiered_storage_config",
}
"""Member of the request → argument of the class; those of ``_EKS`` under EKS alone."""
_AS_IT_IS = frozenset({"Labels"})
"""Members whose own members are names of the user's, not of the API's."""


class HyperPodCluster(Construct):
    """AWS::SageMaker::Cluster from the document of ``sagemaker create-cluster``.

    ``cluster`` is that request: plain data that may hold CDK tokens (``bedplate.slurm.hyperpod.cluster`` or
    ``bedplate.kubernetes.hyperpod.cluster`` makes it). Name, VPC, the EKS cluster and each group's type of
    Slurm node are create-only. Instances lie in an account of
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
        known = {**_EVERY, **(_EKS if "Eks" in cluster["Orchestrator"] else {})}
        unknown = sorted(set(cluster) - set(known))
        if unknown:
            kind = "Kubernetes" if "Eks" in cluster["Orchestrator"] else "Slurm"
            raise ValueError(f"cluster: {', '.join(unknown)} is no property that {kind} on HyperPod has here")
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
        return {
            f"{key[0].lower()}{key[1:]}": item if key in _AS_IT_IS else _kernel(item)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_kernel(item) for item in value]
    return value
