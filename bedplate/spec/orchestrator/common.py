"""What every way to run Slurm has in common, so that changing `kind:` changes nothing else."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictBool, StrictStr

from bedplate.spec.base import Section, about
from bedplate.spec.orchestrator.containers import Containers, NoContainers
from bedplate.spec.orchestrator.login import Login
from bedplate.spec.orchestrator.partition import Partition
from bedplate.spec.orchestrator.settings import Settings
from bedplate.spec.orchestrator.team import Team
from bedplate.spec.orchestrator.user import User


class SlurmCommon(Section):
    """Partitions, teams, users, settings and login nodes of a Slurm cluster."""

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
    users: Annotated[
        tuple[User, ...],
        about(
            "People with an account on every node. Without any, Bedplate leaves users alone, be they an "
            "image's or a directory's. The first user, and the removal of the last, launch the nodes anew.",
            update="in-place",
            examples=[[{"name": "alice", "uid": 2001}]],
            max_length=1000,
        ),
    ] = ()
    homes: Annotated[
        StrictStr,
        about(
            "The folder that holds the homes of `users`, on a file system that nodes mount. What is in old "
            "homes stays there.",
            update="in-place",
            examples=["/home", "/fsx/home"],
            pattern=r"^/[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$",
            max_length=128,
            remedy="Give an absolute path such as /fsx/home; no slash at its end, no dot before a name.",
        ),
    ] = "/home"
    containers: Annotated[
        Containers,
        about(
            "Where nodes have Enroot and Pyxis from, by which `srun --container-image` runs a job in a "
            "container; by default they have none.",
            update="stop-fleet",
            examples=[{"kind": "image"}],
        ),
    ] = NoContainers(kind="none")
    settings: Annotated[
        Settings,
        about(
            "Slurm parameters of the cluster, as slurm.conf spells them; see the table of settings.",
            update="in-place",
            examples=[{"PriorityMaxAge": "7-0"}],
        ),
    ] = Field(default_factory=dict)

    gate: Annotated[
        Literal["pair", "node"],
        about(
            "What a node has to pass after each boot before it takes jobs: its set-up and its own checks "
            "(`node`), or also an all-reduce with a node that is known to be good (`pair`). Nodes of a pool "
            "that grows and shrinks, and of types without EFA, pass the first alone. A change launches "
            "the nodes anew.",
            update="stop-fleet",
            examples=["pair"],
        ),
    ] = "pair"

    @property
    def control_type(self) -> str | None:
        """The EC2 instance type of the node that runs slurmctld; None where the service runs it."""
        return None
