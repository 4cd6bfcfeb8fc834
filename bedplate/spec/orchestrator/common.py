"""What every way to run Slurm has in common, so that changing `kind:` changes nothing else."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StrictBool

from bedplate.spec.base import Section, about
from bedplate.spec.orchestrator.login import Login
from bedplate.spec.orchestrator.partition import Partition
from bedplate.spec.orchestrator.settings import Settings
from bedplate.spec.orchestrator.team import Team


class SlurmCommon(Section):
    """Partitions, teams, settings and login nodes of a Slurm cluster."""

    accounting: Annotated[
        StrictBool,
        about(
            "Whether jobs are recorded, and teams' shares and bounds are held.",
            update="in-place",
            examples=[True],
        ),
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
    teams: Annotated[
        tuple[Team, ...],
        about(
            "Teams that share the cluster; each is a Slurm account.",
            update="in-place",
            examples=[[{"name": "pretraining", "share": 3}]],
        ),
    ] = ()
    settings: Annotated[
        Settings,
        about(
            "Slurm parameters of the cluster, as slurm.conf spells them; see the table of settings.",
            update="in-place",
            examples=[{"PriorityMaxAge": "7-0"}],
        ),
    ] = Field(default_factory=dict)
