"""What lies around a HyperPod cluster under EKS: control plane, network, roles and the life-cycle script."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """Strings may be CDK tokens. ``scripts_uri`` is the folder ``s3://…`` with ``on_create``, which runs once
    on each node. ``autoscaling_role_arn`` is the role by which HyperPod adds and deletes nodes for its
    Karpenter, and is needed with it alone.
    """

    cluster_name: str
    eks_cluster_arn: str
    gpu_subnet_id: str
    security_group_ids: tuple[str, ...]
    role_arn: str
    scripts_uri: str
    on_create: str
    autoscaling_role_arn: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
