"""Slurm, run by AWS ParallelCluster."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from bedplate.spec.base import about
from bedplate.spec.orchestrator.common import SlurmCommon
from bedplate.spec.orchestrator.control_node import ControlNode

ParallelClusterVersion = Literal["3.16.1"]
"""Versions of AWS ParallelCluster that the configuration is held against."""


class SlurmParallelCluster(SlurmCommon):
    """Slurm, run by AWS ParallelCluster from a head node of one's own."""

    kind: Annotated[
        Literal["slurm-parallelcluster"],
        about("The orchestrator.", update="not-possible", examples=["slurm-parallelcluster"]),
    ]
    version: Annotated[
        ParallelClusterVersion,
        about("The version of AWS ParallelCluster, in quotes.", update="replaces", examples=["3.16.1"]),
    ] = "3.16.1"
    head_node: Annotated[
        ControlNode, about("The node that the cluster is run from.", update="not-possible")
    ] = Field(default_factory=ControlNode)

    @property
    def control_type(self) -> str:
        """The EC2 instance type of the head node."""
        return self.head_node.instance_type
