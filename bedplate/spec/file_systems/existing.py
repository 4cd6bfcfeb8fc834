"""File systems that are already there, by id. They must lie in the VPC that the environment uses."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StrictBool, StrictStr

from bedplate.spec.base import Section, about
from bedplate.spec.file_systems.common import ExistingMount

FileSystemId = Annotated[
    StrictStr,
    about(
        "The file system's id.",
        update="stop-fleet",
        examples=["fs-0123456789abcdef0"],
        pattern=r"^fs-([0-9a-f]{8}|[0-9a-f]{17})$",
        remedy="Give the id, `fs-` and 17 (or 8) hexadecimal digits.",
    ),
]
MountOption = Annotated[
    StrictStr,
    about(
        "A mount option",
        update="stop-fleet",
        pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.:/=@%+-]*$",
        remedy="Give each option by itself, such as `noatime` or `nconnect=16`, without commas and spaces.",
    ),
]
MountOptions = Annotated[
    tuple[MountOption, ...],
    about(
        "Mount options instead of Bedplate's own; none for those.",
        update="stop-fleet",
        examples=[["noatime", "flock"]],
        max_length=20,
    ),
]
SecurityGroup = Annotated[
    StrictStr | None,
    about(
        "The file system's security group, to have rules added between it and the cluster. Leave it out "
        "where it admits `network.vpc.fabric_group` already.",
        update="in-place",
        examples=["sg-0123456789abcdef0"],
        pattern=r"^sg-([0-9a-f]{8}|[0-9a-f]{17})$",
        remedy="Give a security group's id, `sg-` and 17 (or 8) hexadecimal digits.",
    ),
]


class ExistingLustre(Section):
    """An FSx for Lustre file system that is already there."""

    kind: Annotated[
        Literal["existing-lustre"], about("An existing FSx for Lustre file system.", update="stop-fleet")
    ]
    mount: ExistingMount
    id: FileSystemId
    mount_name: Annotated[
        StrictStr,
        about(
            "FSx's mount name of the file system.",
            update="stop-fleet",
            examples=["fsx"],
            pattern=r"^[A-Za-z0-9_]{1,8}$",
            remedy="`aws fsx describe-file-systems --query "
            "'FileSystems[].[FileSystemId,LustreConfiguration.MountName]'` prints it.",
        ),
    ]
    efa: Annotated[
        StrictBool,
        about("Whether the file system was made with EFA.", update="stop-fleet", examples=[True]),
    ] = False
    options: MountOptions = ()
    security_group: SecurityGroup = None


class ExistingOpenZfs(Section):
    """A volume of an FSx for OpenZFS file system that is already there."""

    kind: Annotated[
        Literal["existing-openzfs"], about("An existing FSx for OpenZFS file system.", update="stop-fleet")
    ]
    mount: ExistingMount
    id: FileSystemId
    path: Annotated[
        StrictStr,
        about(
            "The volume's path on the server.",
            update="stop-fleet",
            examples=["/fsx"],
            pattern=r"^(/\.*[A-Za-z0-9_-][A-Za-z0-9._-]*)+$",
            remedy="Give the path that the volume is exported by, such as /fsx/home: no `..` in it, no slash "
            "at its end, none twice.",
        ),
    ] = "/fsx"
    options: MountOptions = ()
    security_group: SecurityGroup = None


class ExistingEfs(Section):
    """An EFS file system that is already there."""

    kind: Annotated[Literal["existing-efs"], about("An existing EFS file system.", update="stop-fleet")]
    mount: ExistingMount
    id: FileSystemId
    options: MountOptions = ()
    security_group: SecurityGroup = None
