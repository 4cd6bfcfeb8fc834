"""A team that shares the cluster with others: a Slurm account."""

from __future__ import annotations

from typing import Annotated

from pydantic import StrictInt, StrictStr

from bedplate.spec.base import Section, about
from bedplate.spec.orchestrator.user import USER_PATTERN


class Team(Section):
    """A Slurm account with a share of the cluster and, as a QOS, a bound on what it holds at once."""

    name: Annotated[
        StrictStr,
        about(
            "The account's name, as given to `sbatch --account`.",
            update="replaces",
            examples=["pretraining"],
            pattern=r"^[a-z][a-z0-9-]{1,24}$",
            remedy="Use small letters, digits and dashes, a letter first, 2 to 25 in all.",
        ),
    ]
    share: Annotated[
        StrictInt,
        about(
            "The team's part of the cluster beside the others' (Slurm's fair share).",
            update="in-place",
            ge=1,
            le=1000,
            examples=[3],
            remedy="Give a whole number from 1 to 1000: a team with 3 is due three times what one with 1 is.",
        ),
    ] = 1
    max_gpus: Annotated[
        StrictInt | None,
        about(
            "How many GPUs all of its jobs may hold at once; no bound where it is left out.",
            update="in-place",
            ge=1,
            le=100_000,
            examples=[256],
            remedy="Give a whole number of GPUs, or leave it out.",
        ),
    ] = None
    users: Annotated[
        tuple[Annotated[StrictStr, about("A user's name.", update="in-place", pattern=USER_PATTERN)], ...],
        about(
            "POSIX names of its members, who may submit jobs in its name; of `users` where any are listed.",
            update="in-place",
            examples=[["alice", "bob"]],
        ),
    ] = ()
