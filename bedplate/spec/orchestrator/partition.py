"""A Slurm partition."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StrictBool, StrictInt, StrictStr

from bedplate.spec.base import Section, about
from bedplate.spec.orchestrator.settings import Settings
from bedplate.spec.pools import NAME_PATTERN, NAME_REMEDY


class Partition(Section):
    """A Slurm partition (a queue of PCS and ParallelCluster) over one or more pools."""

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
    max_time_hours: Annotated[
        StrictInt | None,
        about(
            "The longest time limit of a job, in hours; none where it is left out.",
            update="in-place",
            ge=1,
            le=8760,
            examples=[72],
            remedy="Give whole hours from 1 to 8760, or leave it out.",
        ),
    ] = None
    teams: Annotated[
        tuple[StrictStr, ...],
        about(
            "Names of the teams whose jobs the partition takes; all where it is left out.",
            update="in-place",
            examples=[["pretraining"]],
        ),
    ] = ()
    settings: Annotated[
        Settings,
        about(
            "Slurm parameters of the partition, as slurm.conf spells them; see the table of settings.",
            update="in-place",
            examples=[{"PriorityTier": "10"}],
        ),
    ] = Field(default_factory=dict)
