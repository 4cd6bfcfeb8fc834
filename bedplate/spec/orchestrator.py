"""The orchestrator section: what hands out the nodes to jobs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictBool, StrictInt, StrictStr

from bedplate.spec.base import Section, about
from bedplate.spec.pools import NAME_PATTERN, NAME_REMEDY

SlurmVersion = Literal["24.11", "25.05", "25.11", "26.05"]
"""Versions that AWS PCS offers (PCS API, SchedulerRequest.version)."""


class Login(Section):
    """Nodes that people log in to, and that multi-node runs are started from."""

    instance_type: Annotated[
        StrictStr,
        about(
            "The EC2 instance type of the login nodes. PCS refuses a second node group of the name `login`.",
            update="not-possible",
            examples=["m7i.4xlarge"],
            pattern=r"^[a-z][a-z0-9-]*[0-9][a-z0-9-]*\.[a-z0-9-]+$",
            remedy="Give an EC2 instance type such as m7i.4xlarge.",
        ),
    ] = "m7i.4xlarge"
    nodes: Annotated[
        StrictInt, about("How many login nodes.", update="in-place", ge=1, le=8, examples=[1])
    ] = 1


class Partition(Section):
    """A Slurm partition (a PCS queue) over one or more pools."""

    name: Annotated[
        StrictStr,
        about(
            "The partition's name, as given to `sbatch --partition`.",
            update="replaces",
            examples=["train"],
            pattern=NAME_PATTERN,
            min_length=3,
            max_length=25,
            remedy=NAME_REMEDY,
        ),
    ]
    pools: Annotated[
        tuple[StrictStr, ...],
        about("Names of the pools in the partition.", update="in-place", min_length=1, examples=[["h200"]]),
    ]
    default: Annotated[
        StrictBool,
        about("Whether jobs that name no partition go here.", update="in-place", examples=[True]),
    ] = False


class SlurmPcs(Section):
    """Slurm, run by AWS Parallel Computing Service."""

    kind: Annotated[
        Literal["slurm-pcs"],
        about(
            "The orchestrator. `slurm-pcs` is what is built so far.",
            update="not-possible",
            examples=["slurm-pcs"],
        ),
    ]
    slurm_version: Annotated[
        SlurmVersion,
        about("The Slurm version, in quotes.", update="stop-fleet", examples=["25.11"]),
    ] = "25.11"
    accounting: Annotated[
        StrictBool,
        about("Whether jobs are recorded (PCS managed accounting).", update="in-place", examples=[True]),
    ] = True
    login: Annotated[Login, about("The login nodes.", update="in-place")] = Field(default_factory=Login)
    partitions: Annotated[
        tuple[Partition, ...],
        about(
            "The Slurm partitions.",
            update="in-place",
            min_length=1,
            examples=[[{"name": "train", "pools": ["h200"], "default": True}]],
        ),
    ]
