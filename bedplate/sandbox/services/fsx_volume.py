"""FSx CreateVolume, for OpenZFS: a volume below another one, as somebody else's administrators make it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bedplate.sandbox.resources.fsx_openzfs import new_volume_id
from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.service import ApiError, Call


def create_volume(sandbox: Sandbox, call: Call) -> Mapping[str, Any]:
    """Make the volume; its path is its name below the parent's, its exports are the parent's unless given."""
    if call.need("VolumeType") != "OPENZFS":
        raise ApiError("BadRequest", "SBX-018: the sandbox makes volumes of OpenZFS alone")
    name, wanted = call.need("Name"), call.need("OpenZFSConfiguration")
    volumes = sandbox.fsx.volumes
    parent = volumes.get(wanted["ParentVolumeId"])
    if parent is None:
        raise ApiError("VolumeNotFound", f"Volume '{wanted['ParentVolumeId']}' does not exist.")
    above = parent["OpenZFSConfiguration"]
    path = f"{above['VolumePath']}/{name}"
    if any(
        each["FileSystemId"] == parent["FileSystemId"] and each["OpenZFSConfiguration"]["VolumePath"] == path
        for each in volumes.values()
    ):
        raise ApiError("BadRequest", f"there is a volume {path} already")
    volume = {
        "VolumeId": new_volume_id(),
        "FileSystemId": parent["FileSystemId"],
        "Lifecycle": "AVAILABLE",
        "Name": name,
        "VolumeType": "OPENZFS",
        "OpenZFSConfiguration": {
            "ParentVolumeId": parent["VolumeId"],
            "VolumePath": path,
            "DataCompressionType": wanted.get("DataCompressionType", above["DataCompressionType"]),
            "NfsExports": wanted.get("NfsExports") or above["NfsExports"],
        },
    }
    volumes[volume["VolumeId"]] = volume
    return {"Volume": volume}
