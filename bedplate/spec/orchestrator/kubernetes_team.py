"""A team that shares a Kubernetes cluster with others: a namespace with a quota."""

from __future__ import annotations

from typing import Annotated

from pydantic import StrictBool, StrictInt, StrictStr

from bedplate.spec.base import Section, about
from bedplate.spec.orchestrator.role_arn import ROLE_ARN_PATTERN, ROLE_ARN_REMEDY


class KubernetesTeam(Section):
    """A namespace, and where jobs are admitted by Kueue a share of the GPUs and of the EFAs beside them."""

    name: Annotated[
        StrictStr,
        about(
            "The team's name, which is its namespace's and its queue's too.",
            update="replaces",
            examples=["pretraining"],
            pattern=r"^[a-z][a-z0-9-]{0,38}[a-z0-9]$",
            remedy="Use 2 to 40 small letters, digits and hyphens, a letter first and no hyphen last.",
        ),
    ]
    gpus: Annotated[
        StrictInt | None,
        about(
            "GPUs that are the team's own, in whole nodes; an equal part of what the other teams leave where "
            "it is left out. Their EFAs, cores and memory go with them.",
            update="in-place",
            ge=0,
            le=200_000,
            examples=[256],
            remedy="Give a whole number of GPUs, or leave it out.",
        ),
    ] = None
    borrows: Annotated[
        StrictBool,
        about(
            "Whether the team may use what others leave idle; its jobs there end when those want it.",
            update="in-place",
            examples=[True],
        ),
    ] = True
    roles: Annotated[
        tuple[
            Annotated[
                StrictStr,
                about("A role's ARN.", update="in-place", pattern=ROLE_ARN_PATTERN, remedy=ROLE_ARN_REMEDY),
            ],
            ...,
        ],
        about(
            "IAM roles whose holders may work in the team's namespace.",
            update="in-place",
            examples=[["arn:aws:iam::123456789012:role/pretraining"]],
            max_length=20,
        ),
    ] = ()
