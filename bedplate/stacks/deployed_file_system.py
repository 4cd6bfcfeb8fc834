"""A file system as the nodes and the manifest see it, whether we made it or it was there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bedplate.constructs.data_repository_associations import Association
from bedplate.node.bootstrap.settings import Mount

MountKind = Literal["lustre", "openzfs", "efs"]


@dataclass(frozen=True, kw_only=True)
class DeployedFileSystem:
    """One file system; ids, names and sources may be CDK tokens.

    ``source`` is what mount(8) takes, ``path`` the mount point, ``associations`` the folders tied to S3,
    ``throughput_mb_per_s`` what it is provisioned with (None where that is not known). ``volume_id`` is that
    of the volume which ``source`` names, None but for an OpenZFS that we made. ``dns_name`` is FSx's name of
    a file system that is mounted as a whole, None for any other; ``mount_name`` is Lustre's own beside it.
    ``grows_by_itself`` is one without an end to its capacity, ``log_group_name`` where FSx logs what it could
    not move to or from S3.
    """

    kind: MountKind
    created: bool
    file_system_id: str
    source: str
    path: str
    efa: bool = False
    options: tuple[str, ...] = ()
    associations: tuple[Association, ...] = ()
    throughput_mb_per_s: int | None = None
    volume_id: str | None = None
    dns_name: str | None = None
    mount_name: str | None = None
    grows_by_itself: bool = False
    log_group_name: str | None = None

    @property
    def mount(self) -> Mount:
        """What a node's bootstrap is told; it knows each kind's own options where none are given."""
        return Mount(
            kind=self.kind,
            source=self.source,
            path=self.path,
            options=self.options,
            efa=self.efa,
        )


def lustre_source(*, dns_name: str, mount_name: str) -> str:
    """The source of a Lustre mount."""
    return f"{dns_name}@tcp:/{mount_name}"


def fsx_dns_name(*, file_system_id: str, region: str) -> str:
    """The name by which FSx publishes a file system in its VPC (FSx User Guides, DNS names)."""
    suffix = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    return f"{file_system_id}.fsx.{region}.{suffix}"
