"""A new FSx for OpenZFS file system: for home folders and code."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StrictInt

from bedplate.spec.base import Section, WholeNumber, about
from bedplate.spec.file_systems.common import BackupDays, KmsKey, MaintenanceWindow, Mount


class OpenZfs(Section):
    """A new FSx for OpenZFS file system on SSD, reached by NFS."""

    kind: Annotated[Literal["openzfs"], about("A new FSx for OpenZFS file system.", update="not-possible")]
    mount: Mount
    capacity_gib: Annotated[
        StrictInt,
        about("Size in GiB.", update="in-place", ge=64, le=524_288, examples=[1024]),
    ]
    throughput_mbps: Annotated[
        Literal[160, 320, 640, 1280, 2560, 3840, 5120, 7680, 10240],
        WholeNumber,
        about("Throughput in MB/s.", update="in-place", examples=[640]),
    ] = 640
    deployment: Annotated[
        Literal["single-az-2", "single-az-ha-2"],
        about(
            "One file server, or two in one zone, of which one stands by.",
            update="not-possible",
            examples=["single-az-ha-2"],
        ),
    ] = "single-az-ha-2"
    compression: Annotated[
        Literal["lz4", "zstd", "none"],
        about("Compression of what is written.", update="in-place", examples=["lz4"]),
    ] = "lz4"
    kms_key: KmsKey = None
    backup_days: BackupDays = 7
    maintenance: MaintenanceWindow = None
