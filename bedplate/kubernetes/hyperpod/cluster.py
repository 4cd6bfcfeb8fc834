"""The whole cluster, as ``sagemaker create-cluster`` and AWS::SageMaker::Cluster both name its parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bedplate.capacity.hyperpod_group import RECOVERY
from bedplate.kubernetes.hyperpod.instance_groups import pool_group
from bedplate.kubernetes.hyperpod.scaling import check_scaling
from bedplate.kubernetes.hyperpod.surroundings import Surroundings
from bedplate.spec.orchestrator.eks_hyperpod import EksHyperPod
from bedplate.spec.pools import Pool

STATED_KUBERNETES = ("1.28", "1.29", "1.30", "1.31", "1.32", "1.33", "1.34")
"""Minor versions that SageMaker's guide names for HyperPod ("Getting started with Amazon EKS support in
SageMaker HyperPod"), as last seen. EKS itself has later ones; whether HyperPod takes those is unverified."""

MOST_GROUPS = 100
"""SageMaker API, CreateCluster, InstanceGroups."""


def cluster(orchestrator: EksHyperPod, *, pools: Sequence[Pool], around: Surroundings) -> dict[str, Any]:
    """Plain data. ``ValueError`` where HyperPod could not run it.

    Continuous provisioning: without it one group that cannot be filled rolls back all of them, and there is
    no Karpenter. What runs no GPU job stands on system nodes, which are EKS's own and not part of this.
    """
    if len(pools) > MOST_GROUPS:
        raise ValueError(f"pools: a HyperPod cluster has at most {MOST_GROUPS} groups, not {len(pools)}")
    check_scaling(orchestrator, pools)
    made: dict[str, Any] = {
        "ClusterName": around.cluster_name,
        "InstanceGroups": [pool_group(pool, orchestrator=orchestrator, around=around) for pool in pools],
        "VpcConfig": {
            "SecurityGroupIds": list(around.security_group_ids),
            "Subnets": [around.gpu_subnet_id],
        },
        "Orchestrator": {"Eks": {"ClusterArn": around.eks_cluster_arn}},
        "NodeRecovery": RECOVERY[orchestrator.node_recovery],
        "NodeProvisioningMode": "Continuous",
        "Tags": [{"Key": key, "Value": value} for key, value in around.tags.items()],
    }
    if orchestrator.tiered_storage_percent is not None:
        made["TieredStorageConfig"] = {
            "Mode": "Enable",
            "InstanceMemoryAllocationPercentage": orchestrator.tiered_storage_percent,
        }
    if orchestrator.karpenter:
        if around.autoscaling_role_arn is None:
            raise ValueError("karpenter: HyperPod needs a role to add and delete nodes by, and has none")
        made["AutoScaling"] = {"Mode": "Enable", "AutoScalerType": "Karpenter"}
        made["ClusterRole"] = around.autoscaling_role_arn
    return made
