"""What fields of several kinds of file system are made of."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StrictInt, StrictStr

from bedplate.spec.base import about

_PATH = r"^/[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$"
_PATH_REMEDY = "Give an absolute path such as /fsx; no slash at its end, no dot before a name."

Mount = Annotated[
    StrictStr,
    about(
        "Where nodes mount it; `/home` makes it the home of all users. Another path makes another file "
        "system, and the old one stays.",
        update="replaces",
        examples=["/fsx"],
        pattern=_PATH,
        max_length=64,
        remedy=_PATH_REMEDY,
    ),
]
ExistingMount = Annotated[
    StrictStr,
    about(
        "Where nodes mount it; `/home` makes it the home of all users.",
        update="stop-fleet",
        examples=["/fsx"],
        pattern=_PATH,
        max_length=64,
        remedy=_PATH_REMEDY,
    ),
]
KmsKey = Annotated[
    StrictStr | None,
    about(
        "ARN of the KMS key that encrypts it; the AWS managed key where none is given.",
        update="not-possible",
        examples=["arn:aws:kms:us-west-2:123456789012:key/01234567-89ab-cdef-0123-456789abcdef"],
        pattern=r"^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/"
        r"([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|mrk-[0-9a-f]{32})$",
        remedy="Give the key's whole ARN (not an alias), as `aws kms list-keys` prints it.",
    ),
]
BackupDays = Annotated[
    StrictInt,
    about(
        "Days that daily backups are kept, 0 for none.",
        update="in-place",
        ge=0,
        le=90,
        examples=[7],
    ),
]
MaintenanceWindow = Annotated[
    StrictStr | None,
    about(
        "When AWS may patch it, UTC: weekday (1 Monday … 7 Sunday), hour, minute. AWS chooses where none is "
        "given.",
        update="in-place",
        examples=["7:03:30"],
        pattern=r"^[1-7]:([01][0-9]|2[0-3]):[0-5][0-9]$",
        remedy='Write it as d:HH:MM in quotes, such as "7:03:30" for Sunday 03:30 UTC.',
    ),
]
LogLevel = Literal["warn-error", "warn", "error", "none"]
