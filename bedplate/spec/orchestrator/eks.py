"""Kubernetes, run by Amazon EKS."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StrictBool

from bedplate.spec.base import about
from bedplate.spec.orchestrator.kubernetes import KubernetesCommon


class Eks(KubernetesCommon):
    """Kubernetes on Amazon EKS, with GPU pools as managed node groups or through Karpenter."""

    kind: Annotated[
        Literal["eks"],
        about("The orchestrator.", update="not-possible", examples=["eks"]),
    ]
    image: Annotated[
        Literal["al2023", "bottlerocket"],
        about(
            "The operating system of the GPU nodes, each as EKS builds it with NVIDIA's driver.",
            update="replaces",
            examples=["al2023"],
        ),
    ] = "al2023"
    node_repair: Annotated[
        Literal["automatic", "none"],
        about(
            "Whether EKS reboots or replaces a node that its monitoring agent finds unfit, within the share "
            "that `validation.act_on_at_most_percent` allows.",
            update="in-place",
            examples=["automatic"],
        ),
    ] = "automatic"
    mountpoint_s3: Annotated[
        StrictBool,
        about(
            "Whether pods can mount S3 buckets as folders (Mountpoint for Amazon S3).",
            update="in-place",
            examples=[True],
        ),
    ] = False
