"""The storage section: the file systems that nodes mount, created buckets, and the nodes' own disks."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictInt

from bedplate.spec.base import Section, about
from bedplate.spec.file_systems import FileSystem, Lustre, LustreTiering


class Buckets(Section):
    """Life cycle of the buckets that Bedplate makes."""

    old_versions_days: Annotated[
        StrictInt,
        about(
            "Days that overwritten and deleted objects are kept as old versions.",
            update="in-place",
            ge=1,
            le=3650,
            examples=[30],
        ),
    ] = 30
    infrequent_access_days: Annotated[
        StrictInt | None,
        about(
            "Days after which objects move to Standard-IA; never where none is given.",
            update="in-place",
            ge=30,
            le=3650,
            examples=[90],
        ),
    ] = None


class Storage(Section):
    """The file systems that nodes mount, and the nodes' own disks."""

    file_systems: Annotated[
        tuple[FileSystem, ...],
        about(
            "File systems that every node mounts, new or existing, in this order.",
            update="in-place",
            examples=[[{"kind": "lustre", "mount": "/fsx", "capacity_gib": 38400}]],
            max_length=16,
        ),
    ] = ()
    buckets: Annotated[Buckets, about("Life cycle of created buckets.", update="in-place")] = Field(
        default_factory=Buckets
    )
    local_nvme: Annotated[
        Literal["raid0", "none"],
        about(
            "The nodes' NVMe disks: `raid0` makes them one scratch volume, `none` leaves them alone.",
            update="stop-fleet",
            examples=["raid0"],
        ),
    ] = "raid0"

    @property
    def new_lustres(self) -> tuple[Lustre | LustreTiering, ...]:
        """The FSx for Lustre file systems that Bedplate makes."""
        return tuple(each for each in self.file_systems if isinstance(each, Lustre | LustreTiering))
