"""What AWS itself measures and keeps in CloudWatch: read through Grafana's data source, never scraped.

An exporter of CloudWatch would be one more process, and its sums are gauges that people rate.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from bedplate.telemetry.metrics.catalogue import UnknownMetric

_FSX = "FSx for Lustre User Guide: Amazon FSx for Lustre metrics and dimensions"


@dataclass(frozen=True, kw_only=True)
class CloudWatchMetric:
    """``dimensions`` are those by which it is published, all of them on each of its series."""

    namespace: str
    name: str
    unit: str
    help: str
    dimensions: tuple[str, ...]
    source: str


_SYSTEM = ("FileSystemId",)
_SERVER = ("FileSystemId", "FileServer")
_TARGET = ("FileSystemId", "StorageTargetId")
_FSX_ROWS: tuple[tuple[str, str, tuple[str, ...], str], ...] = (
    (
        "FreeDataStorageCapacity",
        "bytes",
        _SYSTEM,
        "free: the sum is the file system's, the minimum the fullest OST's",
    ),
    ("DataReadBytes", "bytes", _SYSTEM, "read by clients; the sum is of the period"),
    (
        "DataWriteBytes",
        "bytes",
        _SYSTEM,
        "written by clients; the sum is of the period",
    ),
    ("MetadataOperations", "1", _SYSTEM, "operations on names; the sum is of the period"),
    ("ClientConnections", "1", _SYSTEM, "connections of clients"),
    ("NetworkThroughputUtilization", "percent", _SERVER, "a server's network throughput, of what it has"),
    ("FileServerDiskThroughputUtilization", "percent", _SERVER, "server to disks, of its limit"),
    ("StorageCapacityUtilization", "percent", _TARGET, "used of a storage target"),
    ("DiskIopsUtilization", "percent", _TARGET, "operations of a storage or metadata target, of its limit"),
)

_ALL = tuple(
    CloudWatchMetric(namespace="AWS/FSx", name=name, unit=unit, help=text, dimensions=dimensions, source=_FSX)
    for name, unit, dimensions, text in _FSX_ROWS
)

CLOUDWATCH_METRICS: Mapping[str, CloudWatchMetric] = MappingProxyType({each.name: each for each in _ALL})


def cloudwatch_metric(name: str, *, dimensions: Collection[str]) -> CloudWatchMetric:
    """The metric of this name. Raises ``UnknownMetric`` for a name or a dimension that no table has."""
    found = CLOUDWATCH_METRICS.get(name)
    if found is None or not set(dimensions) <= set(found.dimensions):
        raise UnknownMetric(
            f"{name} by {', '.join(sorted(dimensions))} is not in bedplate/telemetry/metrics/cloudwatch.py; "
            "add it there with its dimensions and source"
        )
    return found
