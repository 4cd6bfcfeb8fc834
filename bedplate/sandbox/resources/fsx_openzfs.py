"""What FSx refuses of an OpenZFS file system, and what it tells of one."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from bedplate.sandbox.cloudformation.errors import ResourceError

SINGLE_ZONE = ("SINGLE_AZ_2", "SINGLE_AZ_HA_2")
THROUGHPUTS_MBPS = (160, 320, 640, 1280, 2560, 3840, 5120, 7680, 10240)
"""Of the deployments in ``SINGLE_ZONE`` (FSx API, CreateFileSystemOpenZFSConfiguration)."""
MULTI_ZONE_ONLY = ("PreferredSubnetId", "EndpointIpAddressRange", "RouteTableIds")
LEAST_GIB, MOST_GIB = 64, 524_288


def check_openzfs(properties: Mapping[str, Any]) -> None:
    """Refuse sizes, throughputs and members that FSx refuses of the deployments that Bedplate knows."""
    zfs = properties.get("OpenZFSConfiguration") or {}
    deployment = zfs.get("DeploymentType")
    if deployment not in SINGLE_ZONE:
        raise ResourceError(f"SBX-017: the sandbox plays {' and '.join(SINGLE_ZONE)}, not {deployment}")
    if int(zfs.get("ThroughputCapacity", 0)) not in THROUGHPUTS_MBPS:
        raise ResourceError(
            f"BadRequest: ThroughputCapacity {zfs.get('ThroughputCapacity')} is none of {deployment}"
        )
    for name in MULTI_ZONE_ONLY:
        if name in zfs:
            raise ResourceError(f"BadRequest: {name} is for MULTI_AZ_1 only")
    if not LEAST_GIB <= int(properties.get("StorageCapacity", 0)) <= MOST_GIB:
        raise ResourceError(
            f"BadRequest: StorageCapacity {properties.get('StorageCapacity')} is out of range"
        )
    if len(properties["SubnetIds"]) != 1:
        raise ResourceError(f"BadRequest: {deployment} takes one subnet")


def openzfs_of(properties: Mapping[str, Any], *, root_volume_id: str) -> dict[str, Any]:
    """``OpenZFSConfiguration`` as DescribeFileSystems tells it."""
    zfs = properties["OpenZFSConfiguration"]
    return {
        "DeploymentType": zfs["DeploymentType"],
        "ThroughputCapacity": int(zfs["ThroughputCapacity"]),
        "AutomaticBackupRetentionDays": int(zfs.get("AutomaticBackupRetentionDays", 30)),
        "RootVolumeId": root_volume_id,
    }


def root_volume_of(
    properties: Mapping[str, Any], *, file_system_id: str, root_volume_id: str
) -> dict[str, Any]:
    """The root volume as DescribeVolumes tells it."""
    zfs = properties["OpenZFSConfiguration"]
    root = zfs.get("RootVolumeConfiguration") or {}
    open_to_all = [{"ClientConfigurations": [{"Clients": "*", "Options": ["rw", "crossmnt"]}]}]
    return {
        "VolumeId": root_volume_id,
        "FileSystemId": file_system_id,
        "Lifecycle": "AVAILABLE",
        "Name": "fsx",
        "VolumeType": "OPENZFS",
        "OpenZFSConfiguration": {
            "VolumePath": "/fsx",
            "DataCompressionType": root.get("DataCompressionType", "NONE"),
            "NfsExports": root.get("NfsExports") or open_to_all,
        },
    }


def new_volume_id() -> str:
    """An id in FSx's style."""
    return f"fsvol-{uuid.uuid4().hex[:17]}"
