"""A new EFS file system: for home folders and code, in all zones."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StrictBool

from bedplate.spec.base import Section, about
from bedplate.spec.file_systems.common import KmsKey, Mount


class Efs(Section):
    """A new EFS file system, reached by NFS over TLS."""

    kind: Annotated[Literal["efs"], about("A new EFS file system.", update="not-possible")]
    mount: Mount
    throughput: Annotated[
        Literal["elastic", "bursting"],
        about(
            "`elastic` pays by what is moved, `bursting` follows the size.",
            update="in-place",
            examples=["elastic"],
        ),
    ] = "elastic"
    backup: Annotated[
        StrictBool, about("Whether AWS Backup keeps daily backups.", update="in-place", examples=[True])
    ] = True
    kms_key: KmsKey = None
