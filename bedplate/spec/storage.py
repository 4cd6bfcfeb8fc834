"""The storage section: the parallel file system, its ties to S3, and the nodes' own disks."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Discriminator, StrictBool, StrictInt, StrictStr, Tag

from bedplate.spec.base import Section, WholeNumber, about

Event = Literal["new", "changed", "deleted"]
ABSOLUTE_PATH_PATTERN = r"^/([A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*)?$"
BUCKET_PATTERN = r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$"


class Association(Section):
    """One folder of the file system that is tied to a bucket (a data repository association)."""

    path: Annotated[
        StrictStr,
        about(
            "The folder in the file system, from its root. Paths must not lie within one another.",
            update="replaces",
            examples=["/datasets"],
            pattern=ABSOLUTE_PATH_PATTERN,
            remedy="Give an absolute path such as /datasets; no slash at its end, no dot before a name.",
        ),
    ]
    bucket: Annotated[
        StrictStr,
        about(
            "The bucket's name, in the same Region, or `create` for one that Bedplate makes and keeps.",
            update="replaces",
            examples=["acme-datasets", "create"],
            pattern=BUCKET_PATTERN,
            remedy="Give the bucket's name alone (no s3://, no path), or `create`.",
        ),
    ]
    prefix: Annotated[
        StrictStr,
        about(
            "The part of the bucket that is tied, ending in a slash; empty for the whole bucket.",
            update="replaces",
            examples=["v3/"],
            pattern=r"^([^/\s][^\s]*/)?$",
            max_length=900,
            remedy="Give the prefix without a leading slash and with a trailing one, such as v3/.",
        ),
    ] = ""
    import_: Annotated[
        tuple[Event, ...],
        about(
            "Changes in the bucket that show up in the file system by themselves.",
            update="in-place",
            examples=[["new", "changed", "deleted"]],
            alias="import",
            max_length=3,
        ),
    ] = ()
    export: Annotated[
        tuple[Event, ...],
        about(
            "Changes in the file system that are written back to the bucket by themselves.",
            update="in-place",
            examples=[["new", "changed", "deleted"]],
            max_length=3,
        ),
    ] = ()


def _kind_of_iops(value: object) -> str:
    return "word" if isinstance(value, str) else "number"


class Lustre(Section):
    """An FSx for Lustre file system (PERSISTENT_2, SSD)."""

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
            examples=["automatic", 12000],
        ),
    ] = "automatic"
    mount: Annotated[
        StrictStr,
        about(
            "Where nodes mount it.",
            update="stop-fleet",
            examples=["/fsx"],
            pattern=r"^/[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$",
            remedy="Give an absolute path such as /fsx; no slash at its end, no dot before a name.",
        ),
    ] = "/fsx"
    associations: Annotated[
        tuple[Association, ...],
        about("Folders tied to buckets, at most 8.", update="in-place", examples=[[]]),
    ] = ()


class Storage(Section):
    """The parallel file system, its ties to S3, and the nodes' own disks."""

    lustre: Annotated[
        Lustre | None,
        about("The FSx for Lustre file system; leave it out for none.", update="not-possible"),
    ] = None
    home: Annotated[
        Literal["none"],
        about("A file system for home folders. `none` is what is built so far.", update="stop-fleet"),
    ] = "none"
    local_nvme: Annotated[
        Literal["raid0", "none"],
        about(
            "The nodes' NVMe disks: `raid0` makes them one scratch volume, `none` leaves them alone.",
            update="stop-fleet",
            examples=["raid0"],
        ),
    ] = "raid0"
