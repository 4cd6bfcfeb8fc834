"""Alarms on file systems, by kind.

FSx and EFS tell CloudWatch alone, so these are no rules of Prometheus. Metrics: FSx for Lustre User Guide,
"Amazon FSx for Lustre metrics and dimensions", the same page of the FSx for OpenZFS User Guide, and EFS User
Guide, "CloudWatch metrics for Amazon EFS"; which dimensions a metric has: CloudWatch's list of enriched
metrics. **All thresholds and times are ours.** What may well be high while a checkpoint is written has to be
high in each of thirty minutes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bedplate.telemetry.cloudwatch_alarm import CloudWatchAlarm

GIB = 2**30

_FSX = CloudWatchAlarm(
    name="",
    namespace="AWS/FSx",
    metric="",
    statistic="Maximum",
    dimension="FileSystemId",
    threshold=95,
    period_seconds=60,
    periods=30,
    severity="ticket",
    meaning="",
    action="",
)
_BY_SERVER = replace(_FSX, by_query=True)
"""The busiest server or the fullest target: their number is in no template, and a mean would hide one."""
_FREE_SOME = "Free space (lfs df -h shows the targets), or raise capacity_gib."
_MORE_THROUGHPUT = "See which job reads or writes so much; raise the throughput if this is to last."

OST_SPACE = replace(
    _FSX,
    name="LustreTargetSpace",
    metric="FreeDataStorageCapacity",
    statistic="Minimum",
    rings="below",
    threshold=64 * GIB,
    periods=5,
    severity="page",
    meaning="The fullest storage target has less than 64 GiB free. Writes that reach it fail with ENOSPC, "
    "however empty the others are.",
    action=f"{_FREE_SOME} lfs migrate moves large files to emptier targets.",
)
OST_FULL = replace(
    _BY_SERVER,
    name="LustreTargetFull",
    metric="StorageCapacityUtilization",
    periods=5,
    severity="page",
    meaning="The fullest storage target is nearly full. Writes that reach it fail with ENOSPC, however empty "
    "the others are.",
    action=f"{_FREE_SOME} lfs migrate moves large files to emptier targets.",
)
OST_FILLING = replace(
    _BY_SERVER,
    name="LustreTargetFilling",
    metric="StorageCapacityUtilization",
    threshold=85,
    meaning="The fullest storage target is filling; it fills first, and ends everybody's writes.",
    action=f"{_FREE_SOME} A large file without stripes fills one target: lfs setstripe.",
)
WHOLE_FILLING = replace(
    _BY_SERVER,
    name="LustreFilling",
    metric="StorageCapacityUtilization",
    statistic="Average",
    threshold=80,
    meaning="The file system as a whole is filling.",
    action=f"{_FREE_SOME} FSx needs hours to grow one.",
)
NETWORK_BUSY = replace(
    _BY_SERVER,
    name="LustreNetworkBusy",
    metric="NetworkThroughputUtilization",
    meaning="A file server has been at the limit of its network for half an hour.",
    action=_MORE_THROUGHPUT,
)
DISK_BUSY = replace(
    _BY_SERVER,
    name="LustreDiskBusy",
    metric="FileServerDiskThroughputUtilization",
    meaning="A file server has been at the limit of its disks' throughput for half an hour.",
    action=_MORE_THROUGHPUT,
)
TARGET_IOPS = replace(
    _BY_SERVER,
    name="LustreTargetIops",
    metric="DiskIopsUtilization",
    meaning="A target, of metadata or of data, has been at the limit of its operations for half an hour.",
    action="If it is a metadata target (MDT…): raise metadata_iops, or pack small files together.",
)
METADATA_CPU = replace(
    _BY_SERVER,
    name="LustreMetadataCpu",
    metric="CPUUtilization",
    meaning="A metadata server's processor has been busy for half an hour: opening and listing is slow.",
    action="Look for jobs that list or stat many files; raise metadata_iops, which brings larger servers.",
)
EXPORT_LAGS = replace(
    _FSX,
    name="LustreExportLags",
    metric="AgeOfOldestQueuedMessage",
    also={"Publisher": "AutoExport"},
    threshold=3600,
    period_seconds=300,
    periods=3,
    meaning="A change has waited for an hour to be exported to S3: what is on Lustre alone may be lost.",
    action="`bedplate validate` sends a file through each association; read the file system's log group.",
)
IMPORT_LAGS = replace(
    EXPORT_LAGS,
    name="LustreImportLags",
    also={"Publisher": "AutoImport"},
    meaning="An event of S3 has waited for an hour to be imported: jobs see old data.",
)
TIE_FAILS = replace(
    _FSX,
    name="LustreTieFails",
    namespace="AWS/Logs",
    metric="IncomingLogEvents",
    statistic="Sum",
    dimension="LogGroupName",
    threshold=1,
    period_seconds=300,
    periods=1,
    meaning="FSx logged that a file could not be exported to S3 or imported from it.",
    action="Read the log group, and the state of the association: "
    "aws fsx describe-data-repository-associations; MISCONFIGURED names its reason.",
)
ZFS_FILLING = replace(
    _FSX,
    name="OpenZfsFilling",
    metric="UsedStorageCapacity",
    statistic="Average",
    share_of="StorageCapacity",
    threshold=85,
    meaning="The file system is filling.",
    action="Free space, snapshots among it, or raise capacity_gib.",
)
ZFS_NETWORK = replace(
    _FSX,
    name="OpenZfsNetworkBusy",
    metric="NetworkThroughputUtilization",
    meaning="The file server has been at the limit of its network for half an hour.",
    action=_MORE_THROUGHPUT,
)
ZFS_DISK = replace(
    _FSX,
    name="OpenZfsDiskBusy",
    metric="FileServerDiskThroughputUtilization",
    meaning="The file server has been at the limit of its disks' throughput for half an hour.",
    action=_MORE_THROUGHPUT,
)
EFS_BUSY = replace(
    _FSX,
    name="EfsBusy",
    namespace="AWS/EFS",
    metric="PercentIOLimit",
    meaning="The file system has been at the limit of its operations for half an hour.",
    action="See who reads or writes so much: data of jobs belongs on Lustre.",
)
EFS_CREDITS = replace(
    _FSX,
    name="EfsCredits",
    namespace="AWS/EFS",
    metric="BurstCreditBalance",
    statistic="Minimum",
    rings="below",
    threshold=100 * GIB,
    meaning="Burst credits are nearly gone: throughput falls to what the file system's size earns.",
    action="Let it rest, or set throughput: elastic.",
)

LUSTRE_SPACE_OURS: Sequence[CloudWatchAlarm] = (OST_SPACE, OST_FILLING, WHOLE_FILLING)
"""Of a file system on SSD that we made."""
LUSTRE_SPACE_GIVEN: Sequence[CloudWatchAlarm] = (OST_FULL, OST_FILLING, WHOLE_FILLING)
"""Of one that is given, whose targets may have any size."""
LUSTRE_LOAD: Sequence[CloudWatchAlarm] = (NETWORK_BUSY, DISK_BUSY, TARGET_IOPS, METADATA_CPU)
OPENZFS_ALARMS: Sequence[CloudWatchAlarm] = (ZFS_FILLING, ZFS_NETWORK, ZFS_DISK)
EFS_ALARMS: Sequence[CloudWatchAlarm] = (EFS_BUSY, EFS_CREDITS)
FILE_SYSTEM_ALARMS: Sequence[CloudWatchAlarm] = (
    OST_SPACE,
    OST_FULL,
    OST_FILLING,
    WHOLE_FILLING,
    *LUSTRE_LOAD,
    EXPORT_LAGS,
    IMPORT_LAGS,
    TIE_FAILS,
    *OPENZFS_ALARMS,
    *EFS_ALARMS,
)
"""All, in the order of the page."""
