"""Slurm, run by SageMaker HyperPod."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from bedplate.spec.base import about
from bedplate.spec.orchestrator.common import SlurmCommon
from bedplate.spec.orchestrator.control_node import ControlNode

DeepHealthCheck = Literal["stress", "connectivity"]
"""What HyperPod tries on a new node before it takes jobs (SageMaker API, DeepHealthCheckType)."""


class SlurmHyperPod(SlurmCommon):
    """Slurm, run by SageMaker HyperPod, which replaces nodes by itself."""

    kind: Annotated[
        Literal["slurm-hyperpod"],
        about("The orchestrator.", update="not-possible", examples=["slurm-hyperpod"]),
    ]
    controller: Annotated[
        ControlNode, about("The node that the cluster is run from.", update="not-possible")
    ] = Field(default_factory=ControlNode)
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

    @property
    def control_type(self) -> str:
        """The EC2 instance type of the controller."""
        return self.controller.instance_type
