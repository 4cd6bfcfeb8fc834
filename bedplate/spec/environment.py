"""The environment file as a whole."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StrictStr

from bedplate.spec.base import Section, about
from bedplate.spec.network import Network
from bedplate.spec.observability import Observability
from bedplate.spec.orchestrator import KubernetesCommon, Login, Orchestrator, Slurm, SlurmCommon
from bedplate.spec.pools import Pool
from bedplate.spec.storage import Storage
from bedplate.spec.validation import Validation

TagKey = Annotated[
    StrictStr,
    about(
        "A tag's key",
        update="in-place",
        pattern=r"^[A-Za-z0-9 _.:/=+@-]*$",
        min_length=1,
        max_length=128,
        remedy="Use 1 to 128 letters, digits, spaces and . : / = + - @ _ in a tag's key.",
    ),
]
TagValue = Annotated[
    StrictStr,
    about(
        "A tag's value",
        update="in-place",
        pattern=r"^[A-Za-z0-9 _.:/=+@-]*$",
        min_length=1,
        max_length=256,
        remedy="Use 1 to 256 letters, digits, spaces and . : / = + - @ _ in a tag's value; quote numbers.",
    ),
]


class Environment(Section):
    """One environment: one cluster in one zone, with what it stands on.

    Made from a file by ``load_environment``, which also holds the rules between fields
    (``bedplate.spec.rules``); validating a mapping by this class alone checks the shape only.
    """

    name: Annotated[
        StrictStr,
        about(
            "The environment's name; part of every stack's and resource's name.",
            update="not-possible",
            examples=["demo"],
            pattern=r"^[a-z][a-z0-9-]*[a-z0-9]$",
            min_length=3,
            max_length=20,
            remedy="Use 3 to 20 lower-case letters, digits and hyphens, a letter first and no hyphen last.",
        ),
    ]
    account: Annotated[
        StrictStr,
        about(
            "The AWS account's 12 digits, in quotes.",
            update="not-possible",
            examples=["123456789012"],
            pattern=r"^[0-9]{12}$",
            remedy="Give the account's 12 digits in quotes; `aws sts get-caller-identity` prints yours.",
        ),
    ]
    region: Annotated[
        StrictStr,
        about(
            "The AWS Region.",
            update="not-possible",
            examples=["us-west-2"],
            pattern=r"^[a-z]{2}(-[a-z]+)+-[0-9]$",
            remedy="Give a Region's name such as us-west-2.",
        ),
    ]
    tags: Annotated[
        dict[TagKey, TagValue],
        about(
            "Tags on everything that is made.",
            update="in-place",
            examples=[{"team": "foundation-models"}],
            max_length=40,
        ),
    ] = Field(default_factory=dict)
    network: Annotated[
        Network, about("Where the capacity is, and the addresses around it.", update="in-place")
    ]
    pools: Annotated[tuple[Pool, ...], about("Groups of equal GPU nodes.", update="in-place", min_length=1)]
    storage: Annotated[
        Storage, about("The parallel file system and the nodes' own disks.", update="in-place")
    ] = Field(default_factory=Storage)
    orchestrator: Annotated[Orchestrator, about("What hands out the nodes to jobs.", update="in-place")]
    observability: Annotated[Observability, about("Metrics and who is told.", update="in-place")] = Field(
        default_factory=Observability
    )
    validation: Annotated[
        Validation, about("What is asked of the cluster after a deploy.", update="in-place")
    ] = Field(default_factory=Validation)

    @property
    def slurm(self) -> Slurm | None:
        """The orchestrator where it is Slurm, whoever runs it."""
        found = self.orchestrator
        return found if isinstance(found, SlurmCommon) else None

    @property
    def kubernetes(self) -> KubernetesCommon | None:
        """The orchestrator where it is Kubernetes, whoever runs it."""
        found = self.orchestrator
        return found if isinstance(found, KubernetesCommon) else None

    @property
    def login(self) -> Login | None:
        """The login nodes; Kubernetes has none."""
        return None if self.slurm is None else self.slurm.login
