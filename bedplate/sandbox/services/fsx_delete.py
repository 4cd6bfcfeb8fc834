"""How FSx deletes a file system, whoever asks."""

from __future__ import annotations

from moto.ec2.models import ec2_backends

from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.service import ApiError


def delete_file_system(sandbox: Sandbox, account: str, region: str, file_system_id: str) -> None:
    """Delete a file system with its network interface; refused while associations exist."""
    records = sandbox.fsx
    if file_system_id not in records.file_systems:
        raise ApiError("FileSystemNotFound", f"File system '{file_system_id}' does not exist.")
    left = [item for item in records.associations.values() if item["FileSystemId"] == file_system_id]
    if left:
        raise ApiError("BadRequest", f"{file_system_id} still has {len(left)} data repository associations")
    del records.file_systems[file_system_id]
    for volume_id in [key for key, item in records.volumes.items() if item["FileSystemId"] == file_system_id]:
        del records.volumes[volume_id]
    ec2_backends[account][region].enis.pop(records.interfaces.pop(file_system_id, ""), None)
