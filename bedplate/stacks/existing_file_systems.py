"""From one file system that is there already to what nodes mount."""

from __future__ import annotations

from bedplate.spec.file_systems import ExistingEfs, ExistingLustre, ExistingOpenZfs
from bedplate.stacks.deployed_file_system import DeployedFileSystem, fsx_dns_name, lustre_source

Existing = ExistingLustre | ExistingOpenZfs | ExistingEfs


def existing(wanted: Existing, *, region: str) -> DeployedFileSystem:
    """What nodes mount; nothing is made."""
    if isinstance(wanted, ExistingLustre):
        dns_name = fsx_dns_name(file_system_id=wanted.id, region=region)
        return DeployedFileSystem(
            kind="lustre",
            created=False,
            file_system_id=wanted.id,
            source=lustre_source(dns_name=dns_name, mount_name=wanted.mount_name),
            path=wanted.mount,
            options=wanted.options,
            efa=wanted.efa,
            dns_name=dns_name,
            mount_name=wanted.mount_name,
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
