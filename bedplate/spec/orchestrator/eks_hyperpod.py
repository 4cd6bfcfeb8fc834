"""Kubernetes on Amazon EKS, whose GPU nodes are SageMaker HyperPod's."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StrictBool, StrictInt

from bedplate.spec.base import about
from bedplate.spec.orchestrator.hyperpod import DeepHealthCheck
from bedplate.spec.orchestrator.kubernetes import KubernetesCommon


class EksHyperPod(KubernetesCommon):
    """An EKS control plane over a HyperPod cluster, which replaces nodes by itself."""

    kind: Annotated[
        Literal["eks-hyperpod"],
        about("The orchestrator.", update="not-possible", examples=["eks-hyperpod"]),
    ]
    node_recovery: Annotated[
        Literal["automatic", "none"],
        about(
            "Whether HyperPod reboots or replaces a node that its own agents find unfit.",
            update="in-place",
            examples=["automatic"],
        ),
    ] = "automatic"
    deep_health_checks: Annotated[
        tuple[DeepHealthCheck, ...],
        about(
            "What HyperPod tries on a new GPU node before it takes jobs; hours for a large group.",
            update="in-place",
            examples=[["stress", "connectivity"]],
        ),
    ] = ("stress", "connectivity")
    karpenter: Annotated[
        StrictBool,
        about(
            "Whether the Karpenter that HyperPod runs scales pools with a range of nodes.",
            update="in-place",
            examples=[False],
        ),
    ] = False
    tiered_storage_percent: Annotated[
        StrictInt | None,
        about(
            "How much of the nodes' memory keeps checkpoints (HyperPod's managed tiered checkpointing); none "
            "where it is left out.",
            update="in-place",
            ge=20,
            le=100,
            examples=[20],
        ),
    ] = None
    task_governance: Annotated[
        StrictBool,
        about(
            "Whether HyperPod's task governance divides the GPUs among `teams`. It brings a Kueue of its "
            "own, so `admission` is `none` then.",
            update="in-place",
            examples=[True],
        ),
    ] = False
    training_operator: Annotated[
        StrictBool,
        about(
            "Whether HyperPod's training operator is installed, which restarts processes instead of jobs.",
            update="in-place",
            examples=[True],
        ),
    ] = False
