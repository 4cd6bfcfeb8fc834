"""The FSx API: what validation reads, and what it takes to delete a file system that was retained."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moto.ec2.models import ec2_backends

from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.service import ApiError, Call, Service


class FsxApi:
    """Describes file systems and data repository associations."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._records = sandbox.fsx

    def service(self) -> Service:
        """The table of operations."""
        return Service(
            "fsx",
            {
                "DescribeFileSystems": self._file_systems,
                "DescribeDataRepositoryAssociations": self._associations,
                "DeleteFileSystem": self._delete_file_system,
                "DeleteDataRepositoryAssociation": self._delete_association,
            },
        )

    def _file_systems(self, call: Call) -> Mapping[str, Any]:
        wanted = call.get("FileSystemIds") or list(self._records.file_systems)
        missing = [item for item in wanted if item not in self._records.file_systems]
        if missing:
            raise ApiError("FileSystemNotFound", f"File system '{missing[0]}' does not exist.")
        return {"FileSystems": [self._records.file_systems[item] for item in wanted]}

    def _associations(self, call: Call) -> Mapping[str, Any]:
        found = list(self._records.associations.values())
        wanted = call.get("AssociationIds")
        if wanted:
            missing = [item for item in wanted if item not in self._records.associations]
            if missing:
                raise ApiError(
                    "DataRepositoryAssociationNotFound", f"Association '{missing[0]}' does not exist."
                )
            found = [item for item in found if item["AssociationId"] in wanted]
        for each in call.get("Filters") or []:
            if each["Name"] != "file-system-id":
                raise ApiError("BadRequest", f"SBX-018: the sandbox knows no filter {each['Name']}")
            found = [item for item in found if item["FileSystemId"] in each["Values"]]
        return {"Associations": found}

    def _delete_file_system(self, call: Call) -> Mapping[str, Any]:
        file_system_id = call.need("FileSystemId")
        delete_file_system(self._sandbox, call.account, call.region, file_system_id)
        return {"FileSystemId": file_system_id, "Lifecycle": "DELETING"}

    def _delete_association(self, call: Call) -> Mapping[str, Any]:
        association_id = call.need("AssociationId")
        if self._records.associations.pop(association_id, None) is None:
            raise ApiError(
                "DataRepositoryAssociationNotFound", f"Association '{association_id}' does not exist."
            )
        return {"AssociationId": association_id, "Lifecycle": "DELETING"}


def delete_file_system(sandbox: Sandbox, account: str, region: str, file_system_id: str) -> None:
    """Delete a file system with its network interface; refused while associations exist."""
    records = sandbox.fsx
    if file_system_id not in records.file_systems:
        raise ApiError("FileSystemNotFound", f"File system '{file_system_id}' does not exist.")
    left = [item for item in records.associations.values() if item["FileSystemId"] == file_system_id]
    if left:
        raise ApiError("BadRequest", f"{file_system_id} still has {len(left)} data repository associations")
    del records.file_systems[file_system_id]
    ec2_backends[account][region].enis.pop(records.interfaces.pop(file_system_id, ""), None)
