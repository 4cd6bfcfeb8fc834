"""From one file system that is there already to what nodes mount."""

from __future__ import annotations

from bedplate.constructs.file_system_traffic import LUSTRE_EFA, LUSTRE_TCP, NFS, NFS_3, Traffic
from bedplate.spec.file_systems import ExistingEfs, ExistingLustre, ExistingOpenZfs
from bedplate.stacks.deployed_file_system import DeployedFileSystem, fsx_dns_name, lustre_source

Existing = ExistingLustre | ExistingOpenZfs | ExistingEfs


def existing(wanted: Existing, *, region: str) -> DeployedFileSystem:
    """What nodes mount; nothing is made."""
    if isinstance(wanted, ExistingLustre):
        return DeployedFileSystem(
            kind="lustre",
            created=False,
            file_system_id=wanted.id,
            source=lustre_source(
                dns_name=fsx_dns_name(file_system_id=wanted.id, region=region), mount_name=wanted.mount_name
            ),
            path=wanted.mount,
            options=wanted.options,
            efa=wanted.efa,
        )
    if isinstance(wanted, ExistingOpenZfs):
        return DeployedFileSystem(
            kind="openzfs",
            created=False,
            file_system_id=wanted.id,
            source=f"{fsx_dns_name(file_system_id=wanted.id, region=region)}:{wanted.path}",
            path=wanted.mount,
            options=wanted.options,
        )
    return DeployedFileSystem(
        kind="efs",
        created=False,
        file_system_id=wanted.id,
        source=f"{wanted.id}:/",
        path=wanted.mount,
        options=wanted.options,
    )


def traffic_of(wanted: Existing) -> Traffic:
    """What its security group and the cluster's must let through."""
    if isinstance(wanted, ExistingLustre):
        return LUSTRE_EFA if wanted.efa else LUSTRE_TCP
    if isinstance(wanted, ExistingOpenZfs) and {"nfsvers=3", "vers=3", "nfsvers=3.0", "vers=3.0"} & set(
        wanted.options
    ):
        return NFS_3
    return NFS
