"""FSx for Lustre on SSD, with EFA and provisioned metadata."""

from __future__ import annotations

from typing import Literal

from aws_cdk import RemovalPolicy
from constructs import Construct

from bedplate.constructs.file_system_group import FileSystemGroup
from bedplate.constructs.l1 import aws_fsx as fsx
from bedplate.constructs.lustre_log_group import LustreLogGroup

FILE_SYSTEM_TYPE_VERSION = "2.15"
"""The Lustre version that takes a metadata configuration (FSx API)."""
EFA_CAPACITY_STEP_GIB = {125: 38_400, 250: 19_200, 500: 9_600, 1000: 4_800}
"""With EFA, capacity comes in multiples of this many GiB by throughput in MB/s per TiB (FSx User Guide)."""
PLAIN_CAPACITY_STEP_GIB = 2_400
SMALLEST_CAPACITY_GIB = 1_200
METADATA_IOPS = (1_500, 3_000, 6_000, *range(12_000, 192_001, 12_000))
"""Metadata IOPS that FSx takes (FSx API, CreateFileSystemLustreMetadataConfiguration)."""

LogLevel = Literal["warn-error", "warn", "error", "none"]
Compression = Literal["lz4", "none"]


class LustreFileSystem(Construct):
    """A PERSISTENT_2 SSD file system in one subnet, reachable by the members of one client security group.

    ``CfnFileSystem`` is used because CDK's ``LustreFileSystem`` knows neither EFA nor metadata. Capacity is
    in GiB and must be a multiple of ``EFA_CAPACITY_STEP_GIB`` with EFA; throughput is in MB/s per TiB;
    ``metadata_iops=None`` lets FSx choose. FSx checks its ports when the file system is made, so it waits for
    every rule (aws-parallelcluster #6181); with EFA both groups allow all traffic of the other by id, in both
    directions.

    ``backup_days`` keeps daily backups. Leave it 0 with data repository associations: FSx keeps no backups of
    a file system that is tied to S3. ``maintenance`` is ``d:HH:MM``, UTC, 1 is Monday. ``log_name`` is what
    stands after ``/aws/fsx/`` in the log group's name.
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
        throughput_mbps_per_tib: int,
        efa: bool = True,
        metadata_iops: int | None = None,
        compression: Compression = "lz4",
        kms_key_arn: str | None = None,
        backup_days: int = 0,
        maintenance: str | None = None,
        log_level: LogLevel = "warn-error",
        log_name: str | None = None,
    ) -> None:
        super().__init__(scope, id)
        _check(
            capacity_gib=capacity_gib,
            throughput_mbps_per_tib=throughput_mbps_per_tib,
            efa=efa,
            metadata_iops=metadata_iops,
        )
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
            storage_type="SSD",
            storage_capacity=capacity_gib,
            subnet_ids=[subnet_id],
            security_group_ids=[group.group_id],
            kms_key_id=kms_key_arn,
            lustre_configuration=fsx.CfnFileSystem.LustreConfigurationProperty(
                deployment_type="PERSISTENT_2",
                per_unit_storage_throughput=throughput_mbps_per_tib,
                efa_enabled=efa,
                data_compression_type=compression.upper(),
                automatic_backup_retention_days=backup_days,
                copy_tags_to_backups=True if backup_days else None,
                weekly_maintenance_start_time=maintenance,
                metadata_configuration=fsx.CfnFileSystem.MetadataConfigurationProperty(
                    mode="AUTOMATIC" if metadata_iops is None else "USER_PROVISIONED", iops=metadata_iops
                ),
                log_configuration=lustre_log(self, level=log_level, name=log_name),
            ),
        )
        """The file system itself; associations hang on it."""
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


def lustre_log(
    scope: Construct, *, level: LogLevel, name: str | None
) -> fsx.CfnFileSystem.LogConfigurationProperty:
    """The log configuration of a Lustre file system, and its log group where there is anything to log."""
    if level == "none":
        return fsx.CfnFileSystem.LogConfigurationProperty(level="DISABLED")
    return fsx.CfnFileSystem.LogConfigurationProperty(
        level=level.replace("-", "_").upper(),
        destination=LustreLogGroup(scope, "Log", name=name).log_group_arn,
    )


def _check(*, capacity_gib: int, throughput_mbps_per_tib: int, efa: bool, metadata_iops: int | None) -> None:
    if throughput_mbps_per_tib not in EFA_CAPACITY_STEP_GIB:
        allowed = ", ".join(str(each) for each in EFA_CAPACITY_STEP_GIB)
        raise ValueError(f"throughput_mbps_per_tib: {throughput_mbps_per_tib} given, allowed are {allowed}")
    if metadata_iops is not None and metadata_iops not in METADATA_IOPS:
        raise ValueError(
            f"metadata_iops: {metadata_iops} given, allowed are 1500, 3000, 6000 and multiples of 12000 up "
            f"to {METADATA_IOPS[-1]}"
        )
    if not efa and capacity_gib == SMALLEST_CAPACITY_GIB:
        return
    step = EFA_CAPACITY_STEP_GIB[throughput_mbps_per_tib] if efa else PLAIN_CAPACITY_STEP_GIB
    if capacity_gib < step or capacity_gib % step:
        what = "with EFA at this throughput" if efa else "without EFA"
        raise ValueError(f"capacity_gib: {capacity_gib} given, {what} it must be a multiple of {step}")
