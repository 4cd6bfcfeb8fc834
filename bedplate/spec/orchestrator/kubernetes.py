"""What both ways to run Kubernetes have in common, so that changing `kind:` changes little else."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictStr

from bedplate.spec.base import Section, about
from bedplate.spec.orchestrator.kubernetes_team import KubernetesTeam
from bedplate.spec.orchestrator.role_arn import ROLE_ARN_PATTERN, ROLE_ARN_REMEDY
from bedplate.spec.orchestrator.system_nodes import SystemNodes

KubernetesVersion = Literal["1.34", "1.35", "1.36"]
"""Minor versions that EKS offers and one release of kubectl may talk to (EKS User Guide, kubernetes-versions;
Kubernetes version skew policy: kubectl one minor apart).
"""
ControlPlaneTier = Literal["standard", "tier-xl", "tier-2xl", "tier-4xl", "tier-8xl"]
"""EKS API, ControlPlaneScalingConfig.tier."""
JobKind = Literal["trainer", "mpi-operator", "jobset", "leader-worker-set"]


class KubernetesCommon(Section):
    """Control plane, system nodes, teams, and what runs in the cluster."""

    kubernetes_version: Annotated[
        KubernetesVersion,
        about("The Kubernetes minor version, in quotes.", update="in-place", examples=["1.35"]),
    ] = "1.35"
    control_plane_tier: Annotated[
        ControlPlaneTier,
        about(
            "How much the control plane is provisioned with: `standard` scales by itself, a tier is there "
            "from the start and costs more an hour.",
            update="in-place",
            examples=["standard", "tier-xl"],
        ),
    ] = "standard"
    public_endpoint_from: Annotated[
        tuple[
            Annotated[
                StrictStr,
                about(
                    "An IPv4 range.",
                    update="in-place",
                    pattern=r"^([0-9]{1,3}\.){3}[0-9]{1,3}/([0-9]|[12][0-9]|3[0-2])$",
                    remedy="Give an IPv4 range such as 203.0.113.0/24.",
                ),
            ],
            ...,
        ],
        about(
            "Ranges that reach the API server over the internet; none by default, so that it answers inside "
            "the VPC alone.",
            update="in-place",
            examples=[["203.0.113.0/24"]],
            max_length=40,
        ),
    ] = ()
    administrators: Annotated[
        tuple[
            Annotated[
                StrictStr,
                about("A role's ARN.", update="in-place", pattern=ROLE_ARN_PATTERN, remedy=ROLE_ARN_REMEDY),
            ],
            ...,
        ],
        about(
            "IAM roles whose holders may do everything in the cluster.",
            update="in-place",
            examples=[["arn:aws:iam::123456789012:role/platform"]],
            max_length=20,
        ),
    ] = ()
    system_nodes: Annotated[
        SystemNodes, about("Nodes for everything that is no GPU job.", update="in-place")
    ] = Field(default_factory=SystemNodes)
    gpu_software: Annotated[
        Literal["device-plugin", "gpu-operator", "dra-driver"],
        about(
            "What offers GPUs to pods: NVIDIA's device plugin, its GPU Operator without driver and toolkit, "
            "or the device plugin beside its DRA driver for ComputeDomains, which p6e-gb200 needs.",
            update="in-place",
            examples=["device-plugin"],
        ),
    ] = "device-plugin"
    efa_software: Annotated[
        Literal["device-plugin", "dra-driver"],
        about(
            "What offers EFAs to pods: the EFA device plugin, or the DRA driver of AWS.",
            update="in-place",
            examples=["device-plugin"],
        ),
    ] = "device-plugin"
    admission: Annotated[
        Literal["kueue", "none"],
        about(
            "What admits jobs as a whole, by the teams' quotas and the network's topology.",
            update="in-place",
            examples=["kueue"],
        ),
    ] = "kueue"
    scheduler: Annotated[
        Literal["default", "volcano", "kai"],
        about(
            "What places pods on nodes. One scheduler for all pools: two that place on one pool book its "
            "GPUs twice.",
            update="in-place",
            examples=["default"],
        ),
    ] = "default"
    jobs: Annotated[
        tuple[JobKind, ...],
        about(
            "Kinds of jobs that the cluster knows beside Kubernetes' own. `trainer` brings JobSet.",
            update="in-place",
            examples=[["trainer", "leader-worker-set"]],
        ),
    ] = ("trainer",)
    teams: Annotated[
        tuple[KubernetesTeam, ...],
        about(
            "Teams that share the cluster; each has a namespace.",
            update="in-place",
            examples=[[{"name": "pretraining", "gpus": 256}]],
            max_length=100,
        ),
    ] = ()
