"""Slurm, run by SageMaker HyperPod."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictStr

from bedplate.spec.base import Section, about
from bedplate.spec.orchestrator.common import SlurmCommon
from bedplate.spec.orchestrator.login import INSTANCE_TYPE_PATTERN

DeepHealthCheck = Literal["stress", "connectivity"]
"""What HyperPod tries on a new node before it takes jobs (SageMaker API, DeepHealthCheckType)."""


class Controller(Section):
    """The instance that runs slurmctld; HyperPod has exactly one group of it."""

    instance_type: Annotated[
        StrictStr,
        about(
            "The EC2 instance type of the controller.",
            update="not-possible",
            examples=["m7i.4xlarge"],
            pattern=INSTANCE_TYPE_PATTERN,
            remedy="Give an EC2 instance type such as m7i.4xlarge.",
        ),
    ] = "m7i.4xlarge"


class SlurmHyperPod(SlurmCommon):
    """Slurm, run by SageMaker HyperPod, which replaces nodes by itself."""

    kind: Annotated[
        Literal["slurm-hyperpod"],
        about("The orchestrator.", update="not-possible", examples=["slurm-hyperpod"]),
    ]
    controller: Annotated[
        Controller, about("The node that the cluster is run from.", update="not-possible")
    ] = Field(default_factory=Controller)
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
