"""The FSx API: what validation reads, and what makes and deletes the file systems of others."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import ResourceRequest
from bedplate.sandbox.resources.fsx_file_system import FsxFileSystemHandler
from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.fsx_delete import delete_file_system
from bedplate.sandbox.services.fsx_volume import create_volume
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
                "CreateFileSystem": self._create_file_system,
                "CreateVolume": partial(create_volume, self._sandbox),
                "DescribeFileSystems": self._file_systems,
                "DescribeVolumes": self._volumes,
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

    def _create_file_system(self, call: Call) -> Mapping[str, Any]:
        """A file system of somebody else's, by the rules that one of a stack is made by."""
        request = ResourceRequest(
            account=call.account,
            region=call.region,
            stack_id="",
            stack_name="",
            logical_id="",
            type_name="AWS::FSx::FileSystem",
            properties=call.parameters,
        )
        try:
            made = FsxFileSystemHandler(self._sandbox).create(request)
        except ResourceError as error:
            raise ApiError("BadRequest", str(error)) from error
        record = self._records.file_systems[made.physical_id]
        record["Tags"] = list(call.get("Tags") or [])
        return {"FileSystem": record}

    def _volumes(self, call: Call) -> Mapping[str, Any]:
        found = list(self._records.volumes.values())
        for each in call.get("Filters") or []:
            if each["Name"] != "file-system-id":
                raise ApiError("BadRequest", f"SBX-018: the sandbox knows no filter {each['Name']}")
            found = [item for item in found if item["FileSystemId"] in each["Values"]]
        return {"Volumes": found}

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
