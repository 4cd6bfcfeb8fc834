"""A new FSx for Lustre file system on SSD."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Discriminator, StrictBool, StrictInt, Tag

from bedplate.spec.base import Section, WholeNumber, about
from bedplate.spec.file_systems.association import Association
from bedplate.spec.file_systems.common import BackupDays, KmsKey, LogLevel, MaintenanceWindow, Mount


def _kind_of_iops(value: object) -> str:
    return "word" if isinstance(value, str) else "number"


class Lustre(Section):
    """A new FSx for Lustre file system (PERSISTENT_2, SSD)."""

    kind: Annotated[
        Literal["lustre"], about("A new FSx for Lustre file system on SSD.", update="not-possible")
    ]
    mount: Mount
    capacity_gib: Annotated[
        StrictInt,
        about(
            "Size in GiB: 1200, 2400, then steps of 2400; with EFA in steps that depend on the throughput.",
            update="in-place",
            examples=[38400],
            ge=1200,
        ),
    ]
    throughput_mbps_per_tib: Annotated[
        Literal[125, 250, 500, 1000],
        WholeNumber,
        about(
            "Throughput in MB/s for each TiB of size. With EFA it cannot be changed later.",
            update="not-possible",
            examples=[250],
        ),
    ] = 250
    efa: Annotated[
        StrictBool,
        about(
            "Reach the file system by EFA (set once, at creation).", update="not-possible", examples=[True]
        ),
    ] = True
    metadata_iops: Annotated[
        Annotated[StrictInt, Tag("number")] | Annotated[Literal["automatic"], Tag("word")],
        Discriminator(_kind_of_iops),
        about(
            "Metadata operations per second: `automatic` (follows the size), or 1500 … 192000.",
            update="in-place",
            examples=[12000, "automatic"],
        ),
    ] = "automatic"
    compression: Annotated[
        Literal["lz4", "none"],
        about("Compression of what is written.", update="in-place", examples=["lz4"]),
    ] = "lz4"
    associations: Annotated[
        tuple[Association, ...],
        about("Folders tied to buckets, at most 8.", update="in-place", examples=[[]]),
    ] = ()
    kms_key: KmsKey = None
    backup_days: BackupDays = 0
    maintenance: MaintenanceWindow = None
    logs: Annotated[
        LogLevel, about("What FSx writes to the log group.", update="in-place", examples=["warn-error"])
    ] = "warn-error"
