"""Slurm, run by AWS PCS."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StrictBool

from bedplate.spec.base import about
from bedplate.spec.orchestrator.common import SlurmCommon

SlurmVersion = Literal["24.11", "25.05", "25.11", "26.05"]
"""Versions that AWS PCS offers (PCS API, SchedulerRequest.version)."""


class SlurmPcs(SlurmCommon):
    """Slurm, run by AWS Parallel Computing Service."""

    kind: Annotated[
        Literal["slurm-pcs"],
        about("The orchestrator.", update="not-possible", examples=["slurm-pcs"]),
    ]
    slurm_version: Annotated[
        SlurmVersion,
        about("The Slurm version, in quotes.", update="stop-fleet", examples=["25.11"]),
    ] = "25.11"
    rest_api: Annotated[
        StrictBool,
        about(
            "Whether slurmrestd answers inside the VPC, on port 6820, to who has a token (JWT) signed with "
            "the key that PCS keeps in Secrets Manager.",
            update="in-place",
            examples=[True],
        ),
    ] = False
