"""A new FSx for Lustre file system with Intelligent-Tiering storage."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StrictBool, StrictInt

from bedplate.spec.base import Section, WholeNumber, about
from bedplate.spec.file_systems.common import BackupDays, KmsKey, LogLevel, MaintenanceWindow, Mount


class LustreTiering(Section):
    """A new FSx for Lustre file system with Intelligent-Tiering: it grows by itself, and reads are cached."""

    kind: Annotated[
        Literal["lustre-tiering"],
        about("A new FSx for Lustre file system with Intelligent-Tiering.", update="not-possible"),
    ]
    mount: Mount
    throughput_mbps: Annotated[
        StrictInt,
        about(
            "Throughput in MB/s, in steps of 4000.", update="in-place", ge=4000, le=2_000_000, examples=[4000]
        ),
    ]
    read_cache_gib: Annotated[
        StrictInt,
        about(
            "Size of the SSD read cache in GiB: 0 for none, else 8 to 32768 for each 1000 MB/s.",
            update="in-place",
            ge=0,
            examples=[20000],
        ),
    ]
    efa: Annotated[
        StrictBool,
        about(
            "Reach the file system by EFA (set once, at creation).", update="not-possible", examples=[True]
        ),
    ] = True
    metadata_iops: Annotated[
        Literal[6000, 12000],
        WholeNumber,
        about("Metadata operations per second.", update="in-place", examples=[6000]),
    ] = 6000
    compression: Annotated[
        Literal["lz4", "none"],
        about("Compression of what is written.", update="in-place", examples=["lz4"]),
    ] = "lz4"
    kms_key: KmsKey = None
    backup_days: BackupDays = 0
    maintenance: MaintenanceWindow = None
    logs: Annotated[
        LogLevel, about("What FSx writes to the log group.", update="in-place", examples=["warn-error"])
    ] = "warn-error"
