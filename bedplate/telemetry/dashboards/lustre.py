"""Lustre and local disks: what FSx measures of its servers, what nodes do, and what is about to be full."""

from __future__ import annotations

from bedplate.telemetry.dashboards import levels, units, variables
from bedplate.telemetry.dashboards.links import LUSTRE, to_node, to_node_of_cell
from bedplate.telemetry.dashboards.page import Band, Page
from bedplate.telemetry.dashboards.panels import figure, lines
from bedplate.telemetry.dashboards.queries import Query, cloudwatch, now, over_time
from bedplate.telemetry.dashboards.scope import POOL
from bedplate.telemetry.dashboards.table import Column, listing

_RATE = "[$__rate_interval]"
_SYSTEM = {"FileSystemId": "$file_system_id"}
_SERVER = "server ${PROP('Dim.FileServer')}"
_LUSTRE = 'fstype="lustre"'
_LOCAL = 'device=~"nvme.*|md.*"'


def _fsx(name: str, statistic: str, label: str) -> Query:
    return cloudwatch(name, statistic=statistic, label=label, dimensions=_SYSTEM)


_FSX = Band(
    title="The file system, as AWS measures it (CloudWatch)",
    lines=(
        (
            lines(
                "Free on the fullest OST",
                "The minimum, not the mean: one full OST gives ENOSPC on a half-empty file system. The line "
                "is the alarm's.",
                _fsx("FreeDataStorageCapacity", "Minimum", "fullest OST"),
                unit=units.BYTES,
                levels=levels.OST_SPACE,
                width=6,
            ),
            lines(
                "Used of each target",
                "Each storage target's share in use, the fullest on top.",
                _fsx("StorageCapacityUtilization", "Maximum", "${PROP('Dim.StorageTargetId')}"),
                unit=units.PERCENT,
                levels=levels.OST_USED,
                top=100,
                width=6,
            ),
            lines(
                "Free in all",
                "The sum of all OSTs.",
                _fsx("FreeDataStorageCapacity", "Sum", "free"),
                unit=units.BYTES,
                width=6,
            ),
            lines(
                "Read and written, a minute",
                "The sum of all OSTs, of each period of CloudWatch.",
                _fsx("DataReadBytes", "Sum", "read"),
                _fsx("DataWriteBytes", "Sum", "written"),
                unit=units.BYTES,
                width=6,
            ),
        ),
        (
            lines(
                "Network of each server",
                "Of what the server has. At its end, clients wait for it whatever the disks could do.",
                _fsx("NetworkThroughputUtilization", "Maximum", _SERVER),
                unit=units.PERCENT,
                levels=levels.FSX_LIMIT,
                width=6,
                top=100,
            ),
            lines(
                "Disk throughput of each server",
                "Between server and disks, of its limit.",
                _fsx("FileServerDiskThroughputUtilization", "Maximum", _SERVER),
                unit=units.PERCENT,
                levels=levels.FSX_LIMIT,
                width=6,
                top=100,
            ),
            lines(
                "Operations of each target",
                "Of metadata targets (MDT) and of data: how near each is to its limit of operations.",
                _fsx("DiskIopsUtilization", "Maximum", "${PROP('Dim.StorageTargetId')}"),
                unit=units.PERCENT,
                levels=levels.FSX_LIMIT,
                width=6,
                top=100,
            ),
            lines(
                "Operations on names, a minute",
                "Opening, listing, deleting. Many small files show here and not in bytes.",
                _fsx("MetadataOperations", "Sum", "operations"),
                width=6,
            ),
        ),
    ),
)

_CLIENTS = Band(
    title="Lustre, as the nodes see it",
    lines=(
        (
            figure(
                "Nodes without it",
                "Nodes on which the file system should be mounted and is not.",
                now(f"count(bedplate_lustre_mounted{{{POOL}}} == 0) or vector(0)"),
                levels=levels.NONE_IS_GOOD,
            ),
            figure(
                "Nodes with it",
                "Nodes on which the file system is mounted.",
                now(f"sum(bedplate_lustre_mounted{{{POOL}}})"),
            ),
            figure(
                "Free",
                "Of the file systems that nodes have mounted, the fullest one.",
                now(
                    f"min(node_filesystem_avail_bytes{{{POOL},{_LUSTRE}}}"
                    f" / node_filesystem_size_bytes{{{POOL},{_LUSTRE}}})"
                ),
                unit=units.SHARE,
                levels=levels.FREE_SHARE,
            ),
            figure(
                "Read",
                "By all nodes.",
                now(f"sum(rate(bedplate_lustre_read_bytes_total{{{POOL}}}{_RATE}))"),
                unit=units.BYTES_A_SECOND,
            ),
            figure(
                "Written",
                "By all nodes.",
                now(f"sum(rate(bedplate_lustre_written_bytes_total{{{POOL}}}{_RATE}))"),
                unit=units.BYTES_A_SECOND,
            ),
            figure(
                "Operations",
                "Of all nodes.",
                now(f"sum(rate(bedplate_lustre_operations_total{{{POOL}}}{_RATE}))"),
                unit=units.OPERATIONS_A_SECOND,
            ),
        ),
        (
            lines(
                "Read by node, ten most",
                "One node far above the others is often a program that reads its data alone.",
                over_time(
                    f"topk(10, sum by (node) (rate(bedplate_lustre_read_bytes_total{{{POOL}}}{_RATE})))",
                    "{{node}}",
                ),
                unit=units.BYTES_A_SECOND,
                width=8,
                link=to_node(),
            ),
            lines(
                "Written by node, ten most",
                "Checkpoints are the peaks.",
                over_time(
                    f"topk(10, sum by (node) (rate(bedplate_lustre_written_bytes_total{{{POOL}}}{_RATE})))",
                    "{{node}}",
                ),
                unit=units.BYTES_A_SECOND,
                width=8,
                link=to_node(),
            ),
            lines(
                "Operations by kind",
                "Of all nodes.",
                over_time(
                    f"sum by (operation) (rate(bedplate_lustre_operations_total{{{POOL}}}{_RATE}))",
                    "{{operation}}",
                ),
                unit=units.OPERATIONS_A_SECOND,
                width=8,
                stacked=True,
            ),
        ),
    ),
)

_DISKS = Band(
    title="Local disks",
    lines=(
        (
            lines(
                "Busiest local disks",
                "The share of time with requests open, ten most.",
                over_time(
                    f"topk(10, rate(node_disk_io_time_seconds_total{{{POOL},{_LOCAL}}}{_RATE}))",
                    "{{node}} {{device}}",
                ),
                unit=units.SHARE,
                width=8,
                link=to_node(),
            ),
            lines(
                "Local disks, fleet",
                "Read and written by all local disks.",
                over_time(f"sum(rate(node_disk_read_bytes_total{{{POOL},{_LOCAL}}}{_RATE}))", "read"),
                over_time(f"sum(rate(node_disk_written_bytes_total{{{POOL},{_LOCAL}}}{_RATE}))", "written"),
                unit=units.BYTES_A_SECOND,
                width=8,
            ),
            listing(
                "Fullest mounts",
                "The twenty mounts with least room, Lustre left out.",
                Column(
                    title="free",
                    expression="bottomk(20, min by (node, mountpoint) ("
                    f'node_filesystem_avail_bytes{{{POOL},fstype!="lustre"}}'
                    f' / node_filesystem_size_bytes{{{POOL},fstype!="lustre"}}))',
                    unit=units.SHARE,
                    levels=levels.FREE_SHARE,
                ),
                labels=(("node", "node"), ("mountpoint", "mount")),
                links={"node": to_node_of_cell()},
                sort_by="free",
                smallest_first=True,
                width=8,
            ),
        ),
        (
            listing(
                "Arrays with a disk that failed",
                "Arrays of local disks by the state of their disks; none where all are active.",
                Column(
                    title="disks",
                    expression="sum by (node, device, state) "
                    f'(node_md_disks{{{POOL},state=~"failed|removed"}} > 0)',
                    levels=levels.NONE_IS_GOOD,
                ),
                labels=(("node", "node"), ("device", "array"), ("state", "state")),
                links={"node": to_node_of_cell()},
                width=12,
                height=6,
            ),
            listing(
                "Mounts that are read-only",
                "A disk or a file system that failed is mounted read-only by the kernel.",
                Column(
                    title="",
                    expression=f"max by (node, mountpoint, fstype) (node_filesystem_readonly{{{POOL}}} > 0)",
                ),
                labels=(("node", "node"), ("mountpoint", "mount"), ("fstype", "kind")),
                links={"node": to_node_of_cell()},
                width=12,
                height=6,
            ),
        ),
    ),
)


def lustre() -> Page:
    """What one looks at when reading is slow, or writing fails."""
    return Page(
        uid=LUSTRE,
        title="Lustre and disks",
        description="FSx for Lustre by CloudWatch and as nodes see it, and the nodes' local disks.",
        variables=(variables.environment(), variables.pool(), variables.file_system_id()),
        bands=(_CLIENTS, _FSX, _DISKS),
    )
