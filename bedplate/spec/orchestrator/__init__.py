"""What hands out the nodes to jobs: one file for each kind."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from bedplate.spec.orchestrator.common import SlurmCommon
from bedplate.spec.orchestrator.containers import (
    Containers,
    ContainersOfImage,
    ContainersOfPackages,
    NoContainers,
    S3Object,
)
from bedplate.spec.orchestrator.control_node import ControlNode
from bedplate.spec.orchestrator.hyperpod import SlurmHyperPod
from bedplate.spec.orchestrator.login import Login
from bedplate.spec.orchestrator.parallelcluster import SlurmParallelCluster
from bedplate.spec.orchestrator.partition import Partition
from bedplate.spec.orchestrator.pcs import SlurmPcs
from bedplate.spec.orchestrator.team import Team
from bedplate.spec.orchestrator.user import User

Slurm = Annotated[SlurmPcs | SlurmParallelCluster | SlurmHyperPod, Field(discriminator="kind")]
"""The ways to run Slurm, told apart by ``kind``."""

__all__ = [
    "Containers",
    "ContainersOfImage",
    "ContainersOfPackages",
    "ControlNode",
    "Login",
    "NoContainers",
    "Partition",
    "S3Object",
    "Slurm",
    "SlurmCommon",
    "SlurmHyperPod",
    "SlurmParallelCluster",
    "SlurmPcs",
    "Team",
    "User",
]
