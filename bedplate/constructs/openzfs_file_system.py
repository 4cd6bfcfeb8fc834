"""FSx for OpenZFS on SSD."""

from __future__ import annotations

from typing import Literal

from aws_cdk import RemovalPolicy
from constructs import Construct

from bedplate.constructs.file_system_group import FileSystemGroup
from bedplate.constructs.l1 import aws_fsx as fsx

THROUGHPUTS_MBPS = (160, 320, 640, 1_280, 2_560, 3_840, 5_120, 7_680, 10_240)
"""Throughput in MB/s that the two deployments have (FSx API, CreateFileSystemOpenZFSConfiguration)."""
LEAST_CAPACITY_GIB, MOST_CAPACITY_GIB = 64, 524_288
"""Size in GiB (FSx API, CreateFileSystem, StorageCapacity)."""
ROOT_VOLUME = "/fsx"
"""The path by which FSx exports the root volume (FSx for OpenZFS User Guide, "Mounting volumes")."""

Deployment = Literal["single-az-2", "single-az-ha-2"]
_DEPLOYMENT_TYPES: dict[Deployment, str] = {"single-az-2": "SINGLE_AZ_2", "single-az-ha-2": "SINGLE_AZ_HA_2"}


class OpenZfsFileSystem(Construct):
    """A file system in one subnet, exported by NFS to the members of one client security group.

    Both deployments live in one subnet; ``PreferredSubnetId`` is for those over several zones only (FSx API).
    Throughput is in MB/s, one of ``THROUGHPUTS_MBPS``. The root volume is exported to anybody who gets to the
    port, which the security group decides. Root of a node is root there too: a new volume belongs to root,
    and nobody else could make the first folder. ``squash_root=True`` makes root nobody, for a volume whose
    folders are there.

    ``maintenance`` is ``d:HH:MM``, UTC, 1 is Monday; ``backup_days`` keeps daily backups, 0 for none.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        vpc_id: str,
        subnet_id: str,
        client_group_id: str,
        capacity_gib: int,
        throughput_mbps: int,
        deployment: Deployment = "single-az-ha-2",
        compression: Literal["lz4", "zstd", "none"] = "lz4",
        squash_root: bool = False,
        kms_key_arn: str | None = None,
        backup_days: int = 7,
        maintenance: str | None = None,
    ) -> None:
        super().__init__(scope, id)
        _check(capacity_gib=capacity_gib, throughput_mbps=throughput_mbps)
        group = FileSystemGroup(
            self,
            "Access",
            vpc_id=vpc_id,
            client_group_id=client_group_id,
            traffic="nfs",
            description="FSx for OpenZFS: its servers",
        )
        self.resource = fsx.CfnFileSystem(
            self,
            "FileSystem",
            file_system_type="OPENZFS",
            storage_type="SSD",
            storage_capacity=capacity_gib,
            subnet_ids=[subnet_id],
            security_group_ids=[group.group_id],
            kms_key_id=kms_key_arn,
            open_zfs_configuration=fsx.CfnFileSystem.OpenZFSConfigurationProperty(
                deployment_type=_DEPLOYMENT_TYPES[deployment],
                throughput_capacity=throughput_mbps,
                automatic_backup_retention_days=backup_days,
                copy_tags_to_backups=True if backup_days else None,
                copy_tags_to_volumes=True,
                weekly_maintenance_start_time=maintenance,
                root_volume_configuration=_root_volume(compression=compression, squash_root=squash_root),
            ),
        )
        """The file system itself."""
        self.resource.apply_removal_policy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
        self.resource.node.add_dependency(*group.rules)
        self.file_system_id: str = self.resource.ref
        """Id, ``fs-…``."""
        self.root_volume_id: str = self.resource.attr_root_volume_id
        """Id of the volume that ``ROOT_VOLUME`` names."""
        self.dns_name: str = self.resource.attr_dns_name
        """Name that clients mount from."""
        self.security_group_id: str = group.group_id
        """The file system's own security group."""


def _root_volume(*, compression: str, squash_root: bool) -> fsx.CfnFileSystem.RootVolumeConfigurationProperty:
    export = fsx.CfnFileSystem.ClientConfigurationsProperty(
        clients="*",
        options=["rw", "crossmnt", "sync", "root_squash" if squash_root else "no_root_squash"],
    )
    return fsx.CfnFileSystem.RootVolumeConfigurationProperty(
        data_compression_type=compression.upper(),
        copy_tags_to_snapshots=True,
        nfs_exports=[fsx.CfnFileSystem.NfsExportsProperty(client_configurations=[export])],
    )


def _check(*, capacity_gib: int, throughput_mbps: int) -> None:
    if not LEAST_CAPACITY_GIB <= capacity_gib <= MOST_CAPACITY_GIB:
        raise ValueError(
            f"capacity_gib: {capacity_gib} given, allowed are {LEAST_CAPACITY_GIB} to {MOST_CAPACITY_GIB}"
        )
    if throughput_mbps not in THROUGHPUTS_MBPS:
        allowed = ", ".join(str(each) for each in THROUGHPUTS_MBPS)
        raise ValueError(f"throughput_mbps: {throughput_mbps} given, allowed are {allowed}")
