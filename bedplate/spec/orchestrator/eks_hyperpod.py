"""Kubernetes on Amazon EKS, whose GPU nodes are SageMaker HyperPod's."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StrictBool, StrictInt, StrictStr

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
    gate: Annotated[
        Literal["pair", "node", "none"],
        about(
            "What a GPU node has to pass before its start-up taint is lifted: that it offers exactly its "
            "GPUs and EFAs and its own checks (`node`), or also an all-reduce with a node that is known to "
            "be good (`pair`). With `none` nodes have no such taint.",
            update="stop-fleet",
            examples=["pair"],
        ),
    ] = "node"
    tests_image: Annotated[
        StrictStr | None,
        about(
            "Container image with nccl-tests, Open MPI, the EFA libraries and Python, that collectives run "
            "in; by its digest, or by a tag that is not `latest`. Without it validation asks no collectives, "
            "and the gate cannot be `pair`.",
            update="in-place",
            examples=["123456789012.dkr.ecr.us-west-2.amazonaws.com/nccl-tests@sha256:" + "0" * 64],
            pattern=r"^[a-z0-9.-]+(:[0-9]+)?(/[a-z0-9._-]+)+(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127}|@sha256:[0-9a-f]{64})$",
            remedy="Give REGISTRY/NAME@sha256:… or REGISTRY/NAME:TAG, with another tag than latest.",
        ),
    ] = None
