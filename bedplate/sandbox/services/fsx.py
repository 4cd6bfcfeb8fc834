"""The FSx API: what validation reads of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.service import ApiError, Call, Service


class FsxApi:
    """Describes file systems and data repository associations."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._records = sandbox.fsx

    def service(self) -> Service:
        """The table of operations."""
        return Service(
            "fsx",
            {
                "DescribeFileSystems": self._file_systems,
                "DescribeDataRepositoryAssociations": self._associations,
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
