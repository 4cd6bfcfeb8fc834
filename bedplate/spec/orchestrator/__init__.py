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
from bedplate.spec.orchestrator.eks import Eks
from bedplate.spec.orchestrator.hyperpod import SlurmHyperPod
from bedplate.spec.orchestrator.kubernetes import KubernetesCommon
from bedplate.spec.orchestrator.kubernetes_team import KubernetesTeam
from bedplate.spec.orchestrator.login import Login
from bedplate.spec.orchestrator.parallelcluster import SlurmParallelCluster
from bedplate.spec.orchestrator.partition import Partition
from bedplate.spec.orchestrator.pcs import SlurmPcs
from bedplate.spec.orchestrator.system_nodes import SystemNodes
from bedplate.spec.orchestrator.team import Team
from bedplate.spec.orchestrator.user import User

Slurm = SlurmPcs | SlurmParallelCluster | SlurmHyperPod
"""The ways to run Slurm."""
Orchestrator = Annotated[SlurmPcs | SlurmParallelCluster | SlurmHyperPod | Eks, Field(discriminator="kind")]
"""Everything that hands out nodes, told apart by ``kind``."""

__all__ = [
    "Containers",
    "ContainersOfImage",
    "ContainersOfPackages",
    "ControlNode",
    "Eks",
    "KubernetesCommon",
    "KubernetesTeam",
    "Login",
    "NoContainers",
    "Orchestrator",
    "Partition",
    "S3Object",
    "Slurm",
    "SlurmCommon",
    "SlurmHyperPod",
    "SlurmParallelCluster",
    "SlurmPcs",
    "SystemNodes",
    "Team",
    "User",
]
