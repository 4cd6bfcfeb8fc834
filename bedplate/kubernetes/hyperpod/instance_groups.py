"""From pools to instance groups, with the labels and taints that their nodes come with."""

from __future__ import annotations

from typing import Any

from bedplate.capacity.hyperpod_group import capacity_words, check_words
from bedplate.hardware import InstanceType
from bedplate.kubernetes.hyperpod.scaling import scaled_by_karpenter
from bedplate.kubernetes.hyperpod.surroundings import Surroundings
from bedplate.node.kubernetes import names
from bedplate.spec.hyperpod_types import HYPERPOD_TYPES
from bedplate.spec.orchestrator.eks_hyperpod import EksHyperPod
from bedplate.spec.pool_hardware import pool_hardware
from bedplate.spec.pools import Pool


def pool_group(pool: Pool, *, orchestrator: EksHyperPod, around: Surroundings) -> dict[str, Any]:
    """The group of a pool: its name is the pool's. ``ValueError`` where HyperPod has no such nodes.

    A group that Karpenter scales starts with no node: Karpenter takes any other number down to none
    (SageMaker Developer Guide, "Create a NodeClass").
    """
    hardware = pool_hardware(pool)
    _refuse(pool, hardware)
    made: dict[str, Any] = {
        "InstanceGroupName": pool.name,
        "InstanceType": f"ml.{hardware.name}",
        "InstanceCount": 0 if scaled_by_karpenter(pool, orchestrator) else pool.max_nodes,
        "ExecutionRole": around.role_arn,
        "LifeCycleConfig": {"SourceS3Uri": around.scripts_uri, "OnCreate": around.on_create},
        "OverrideVpcConfig": {
            "SecurityGroupIds": list(around.security_group_ids),
            "Subnets": [around.gpu_subnet_id],
        },
        "KubernetesConfig": {
            "Labels": node_labels(pool, hardware),
            "Taints": [*steady_taints(), *start_up_taints(gate=orchestrator.gate)],
        },
        **capacity_words(pool),
    }
    if hardware.efa_count:
        made["NetworkInterface"] = {"InterfaceType": "efa-only"}
    if orchestrator.deep_health_checks:
        made["OnStartDeepHealthChecks"] = check_words(orchestrator.deep_health_checks)
    return made


def node_labels(pool: Pool, hardware: InstanceType) -> dict[str, str]:
    """What selectors of ours find a node by; the instance type is a label of Kubernetes' own."""
    made = {names.POOL_LABEL: pool.name, names.ROLE_LABEL: "gpu"}
    if hardware.efa_count:
        made[names.EFA_LABEL] = "true"
    return made


def steady_taints() -> list[dict[str, str]]:
    """Those that stay: no pod without GPUs of its own lands on a GPU node."""
    return [{"Key": names.GPU_TAINT, "Value": "present", "Effect": "NoSchedule"}]


def start_up_taints(*, gate: str) -> list[dict[str, str]]:
    """The one that our gate lifts.

    SageMaker's API tells of current and desired taints apart; no page says whether HyperPod puts one back
    that somebody lifted. Unverified: where it does, nodes stay closed, and ``gate: none`` is the way out.
    """
    if gate == "none":
        return []
    return [{"Key": names.GATE_TAINT, "Value": names.GATE_TAINT_VALUE, "Effect": "NoSchedule"}]


def _refuse(pool: Pool, hardware: InstanceType) -> None:
    """What the file can say of a pool and a group has no word for, lest it be lost."""
    if hardware.name not in HYPERPOD_TYPES:
        raise ValueError(f"pool {pool.name}: HyperPod has no {hardware.name}")
    if pool.alternative_types:
        raise ValueError(f"pool {pool.name}: alternative_types: a group here is of one type; make more pools")
    if pool.interfaces != "save-addresses" or pool.efas is not None:
        raise ValueError(
            f"pool {pool.name}: HyperPod lays a node's interfaces out itself; leave interfaces and efas out"
        )
    if pool.name.endswith("-"):
        raise ValueError(f"pool {pool.name}: HyperPod and Kubernetes take no name that ends with a hyphen")
