"""Slurm, run by AWS ParallelCluster."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictStr

from bedplate.spec.base import Section, about
from bedplate.spec.orchestrator.common import SlurmCommon
from bedplate.spec.orchestrator.login import INSTANCE_TYPE_PATTERN

ParallelClusterVersion = Literal["3.16.1"]
"""Versions of AWS ParallelCluster that the configuration is held against."""


class HeadNode(Section):
    """The instance that runs slurmctld, and slurmdbd where jobs are recorded."""

    instance_type: Annotated[
        StrictStr,
        about(
            "The EC2 instance type of the head node.",
            update="not-possible",
            examples=["m7i.4xlarge"],
            pattern=INSTANCE_TYPE_PATTERN,
            remedy="Give an EC2 instance type such as m7i.4xlarge.",
        ),
    ] = "m7i.4xlarge"


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
    head_node: Annotated[HeadNode, about("The node that the cluster is run from.", update="not-possible")] = (
        Field(default_factory=HeadNode)
    )
