"""FSx for Lustre with Intelligent-Tiering storage and an SSD read cache."""

from __future__ import annotations

from aws_cdk import RemovalPolicy
from constructs import Construct

from bedplate.constructs.file_system_group import FileSystemGroup
from bedplate.constructs.l1 import aws_fsx as fsx
from bedplate.constructs.lustre_file_system import (
    FILE_SYSTEM_TYPE_VERSION,
    Compression,
    LogLevel,
    lustre_log,
)

THROUGHPUT_STEP_MBPS = 4_000
"""Steps of the throughput in MB/s (FSx API, ThroughputCapacity). The API's text has 1,000 and 2,000 beside
them, without EFA, while its own constraint begins at 4,000; they are not offered.
"""
MOST_THROUGHPUT_MBPS = 2_000_000
LEAST_CACHE_GIB, MOST_CACHE_GIB = 8, 32_768
"""Size of the read cache for each 1000 MB/s (FSx API, LustreReadCacheConfiguration)."""
METADATA_IOPS = (6_000, 12_000)
"""Metadata IOPS with Intelligent-Tiering (FSx API reference, FileSystemLustreMetadataConfiguration)."""


class LustreTieringFileSystem(Construct):
    """A PERSISTENT_2 file system whose storage grows by itself, in one subnet, for one client security group.

    ``throughput_mbps`` (MB/s) is a multiple of ``THROUGHPUT_STEP_MBPS``; ``read_cache_gib`` is 0 for no
    cache, else ``LEAST_CACHE_GIB`` to ``MOST_CACHE_GIB`` for each 1000 MB/s. FSx takes no data repository
    association here. Waits for its rules as ``LustreFileSystem`` does; the other properties are those of
    that.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        vpc_id: str,
        subnet_id: str,
        client_group_id: str,
        throughput_mbps: int,
        read_cache_gib: int,
        efa: bool = True,
        metadata_iops: int = METADATA_IOPS[0],
        compression: Compression = "lz4",
        kms_key_arn: str | None = None,
        backup_days: int = 0,
        maintenance: str | None = None,
        log_level: LogLevel = "warn-error",
        log_name: str | None = None,
    ) -> None:
        super().__init__(scope, id)
        _check(throughput_mbps=throughput_mbps, read_cache_gib=read_cache_gib, metadata_iops=metadata_iops)
        group = FileSystemGroup(
            self,
            "Access",
            vpc_id=vpc_id,
            client_group_id=client_group_id,
            traffic="lustre-efa" if efa else "lustre-tcp",
            description="FSx for Lustre: its servers and its clients",
        )
        self.resource = fsx.CfnFileSystem(
            self,
            "FileSystem",
            file_system_type="LUSTRE",
            file_system_type_version=FILE_SYSTEM_TYPE_VERSION,
            storage_type="INTELLIGENT_TIERING",
            subnet_ids=[subnet_id],
            security_group_ids=[group.group_id],
            kms_key_id=kms_key_arn,
            lustre_configuration=fsx.CfnFileSystem.LustreConfigurationProperty(
                deployment_type="PERSISTENT_2",
                throughput_capacity=throughput_mbps,
                data_read_cache_configuration=_cache(read_cache_gib),
                efa_enabled=efa,
                data_compression_type=compression.upper(),
                automatic_backup_retention_days=backup_days,
                copy_tags_to_backups=True if backup_days else None,
                weekly_maintenance_start_time=maintenance,
                metadata_configuration=fsx.CfnFileSystem.MetadataConfigurationProperty(
                    mode="USER_PROVISIONED", iops=metadata_iops
                ),
                log_configuration=lustre_log(self, level=log_level, name=log_name),
            ),
        )
        """The file system itself."""
        self.resource.apply_removal_policy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
        self.resource.node.add_dependency(*group.rules)
        self.file_system_id: str = self.resource.ref
        """Id, ``fs-…``."""
        self.dns_name: str = self.resource.attr_dns_name
        """Name that clients mount from."""
        self.mount_name: str = self.resource.attr_lustre_mount_name
        """FSx's own name of the file system in the mount path."""
        self.security_group_id: str = group.group_id
        """The file system's own security group."""


def _cache(size_gib: int) -> fsx.CfnFileSystem.DataReadCacheConfigurationProperty:
    if size_gib == 0:
        return fsx.CfnFileSystem.DataReadCacheConfigurationProperty(sizing_mode="NO_CACHE")
    return fsx.CfnFileSystem.DataReadCacheConfigurationProperty(
        sizing_mode="USER_PROVISIONED", size_gib=size_gib
    )


def _check(*, throughput_mbps: int, read_cache_gib: int, metadata_iops: int) -> None:
    if not THROUGHPUT_STEP_MBPS <= throughput_mbps <= MOST_THROUGHPUT_MBPS or (
        throughput_mbps % THROUGHPUT_STEP_MBPS
    ):
        raise ValueError(
            f"throughput_mbps: {throughput_mbps} given, it must be a multiple of {THROUGHPUT_STEP_MBPS} up "
            f"to {MOST_THROUGHPUT_MBPS}"
        )
    least, most = (each * throughput_mbps // 1000 for each in (LEAST_CACHE_GIB, MOST_CACHE_GIB))
    if read_cache_gib and not least <= read_cache_gib <= most:
        raise ValueError(f"read_cache_gib: {read_cache_gib} given, it must be 0 or {least} to {most}")
    if metadata_iops not in METADATA_IOPS:
        raise ValueError(f"metadata_iops: {metadata_iops} given, allowed are 6000 and 12000")
