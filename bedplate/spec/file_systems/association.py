"""A folder of a Lustre file system that is tied to a bucket."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, StrictBool, StrictInt, StrictStr

from bedplate.spec.base import Section, about

Event = Literal["new", "changed", "deleted"]
ABSOLUTE_PATH_PATTERN = r"^/([A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*)?$"
BUCKET_PATTERN = (
    r"^(?!xn--|sthree-|amzn-s3-demo-)"
    r"(?![0-9]+\.[0-9]+\.[0-9]+\.[0-9]+$)"
    r"(?!.*(-s3alias|--ol-s3|\.mrap|--x-s3|--table-s3)$)"
    r"[a-z0-9](\.?[a-z0-9-])*\.?[a-z0-9](?!\n)$"
)
"""S3 User Guide, "General purpose bucket naming rules": 3 to 63 characters, no two dots side by side, no
address of IPv4, none of the beginnings and ends that S3 keeps for itself. (In Python `$` is before a last
line break too.)
"""


class Association(Section):
    """One folder of the file system that is tied to a bucket (a data repository association)."""

    # Pydantic's own engine cannot look ahead, and what S3 takes cannot be told without.
    model_config = ConfigDict(regex_engine="python-re")

    path: Annotated[
        StrictStr,
        about(
            "The folder in the file system, from its root. Paths must not lie within one another.",
            update="replaces",
            examples=["/datasets"],
            pattern=ABSOLUTE_PATH_PATTERN,
            max_length=128,
            remedy="Give an absolute path such as /datasets; no slash at its end, no dot before a name.",
        ),
    ]
    bucket: Annotated[
        StrictStr,
        about(
            "The bucket's name, in the same Region, or `create` for one that Bedplate makes and keeps.",
            update="not-possible",
            examples=["acme-datasets", "create"],
            pattern=BUCKET_PATTERN,
            min_length=3,
            max_length=63,
            remedy="Give the bucket's name alone (no s3://, no path), or `create`. S3 has lower-case "
            "letters, digits, hyphens and single dots, nothing like 192.168.0.1, and keeps xn--, sthree- and "
            "amzn-s3-demo- at the begin, -s3alias, --ol-s3, .mrap, --x-s3 and --table-s3 at the end.",
        ),
    ]
    prefix: Annotated[
        StrictStr,
        about(
            "The part of the bucket that is tied, ending in a slash; empty for the whole bucket.",
            update="not-possible",
            examples=["v3/"],
            pattern=r"^([^/\s][^\s]*/)?$",
            max_length=900,
            remedy="Give the prefix without a leading slash and with a trailing one, such as v3/.",
        ),
    ] = ""
    import_existing: Annotated[
        StrictBool,
        about(
            "Whether what is in the bucket already shows up in the folder when the two are tied.",
            update="not-possible",
            examples=[True],
        ),
    ] = True
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
    chunk_mib: Annotated[
        StrictInt,
        about(
            "Most that one stripe holds of an imported file, in MiB: files above it spread over several "
            "disks.",
            update="in-place",
            ge=1,
            le=512_000,
            examples=[1024],
        ),
    ] = 1024
