"""An environment's parts for a HyperPod cluster under EKS."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bedplate.kubernetes.hyperpod.cluster import cluster
from bedplate.kubernetes.hyperpod.surroundings import Surroundings
from bedplate.spec.orchestrator.eks_hyperpod import EksHyperPod
from bedplate.spec.pools import Pool
from tests.slurm.pools import pool

PLAN = "arn:aws:sagemaker:us-west-2:123456789012:training-plan/frontier"
AROUND = Surroundings(
    cluster_name="bedplate-proof",
    eks_cluster_arn="arn:aws:eks:us-west-2:123456789012:cluster/bedplate-proof",
    gpu_subnet_id="subnet-0123456789abcdef1",
    security_group_ids=("sg-0123456789abcdef0", "sg-0123456789abcdef1"),
    role_arn="arn:aws:iam::123456789012:role/nodes",
    scripts_uri="s3://sagemaker-scripts/proof",
    on_create="on_create.sh",
    autoscaling_role_arn="arn:aws:iam::123456789012:role/scaling",
    tags={"team": "research"},
)
RANGE = {"min": 0, "max": 16}


def orchestrator(**changes: Any) -> EksHyperPod:
    """The section with nothing but its kind and what a test changes."""
    return EksHyperPod.model_validate({"kind": "eks-hyperpod", **changes})


def made(*pools: Pool, eks: EksHyperPod | None = None, **around: Any) -> dict[str, Any]:
    """The cluster of these pools."""
    return cluster(eks or orchestrator(), pools=pools or (pool(),), around=replace(AROUND, **around))
