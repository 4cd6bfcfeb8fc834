"""AWS::FSx::DataRepositoryAssociation: one at a time, and no path inside another."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlparse

from moto.s3.models import s3_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.generic_handler import GenericHandler, random_id
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.sandbox import Sandbox

MOST_ASSOCIATIONS = 8
"""Associations that one file system may have (FSx for Lustre User Guide, quotas)."""
CREATION_S = 0.05


class FsxAssociationHandler(GenericHandler):
    """Ties a folder to a bucket; FSx works on one association of a file system at a time."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._busy: set[str] = set()
        self._lock = threading.Lock()

    def create(self, request: ResourceRequest) -> Made:
        """Create the association, refusing what FSx refuses."""
        file_system_id = request.properties["FileSystemId"]
        self._begin(file_system_id)
        try:
            self._check(request)
            time.sleep(CREATION_S)
            made = super().create(request)
            self._record(request, made)
            return made
        finally:
            self._end(file_system_id)

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Take over other import and export policies."""
        new = super().update(request, made, old)
        self._record(request, new)
        return new

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Forget the association; files stay."""
        file_system_id = request.properties["FileSystemId"]
        self._begin(file_system_id)
        self._sandbox.fsx.associations.pop(made.physical_id, None)
        self._tell_nodes()
        self._end(file_system_id)

    def attributes(self, request: ResourceRequest, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Id and ARN in FSx's style."""
        association_id = str(values.get("AssociationId", ""))
        if not association_id.startswith("dra-"):
            association_id = random_id("dra")
        arn = request.arn("fsx", f"association/{request.properties['FileSystemId']}/{association_id}")
        return {"AssociationId": association_id, "ResourceARN": arn}

    def _begin(self, file_system_id: str) -> None:
        with self._lock:
            if file_system_id in self._busy:
                raise ResourceError(
                    f"BadRequest: another association of {file_system_id} is being created or deleted"
                )
            self._busy.add(file_system_id)

    def _end(self, file_system_id: str) -> None:
        with self._lock:
            self._busy.discard(file_system_id)

    def _check(self, request: ResourceRequest) -> None:
        properties = request.properties
        file_system = self._sandbox.fsx.file_systems.get(properties["FileSystemId"])
        if file_system is None:
            raise ResourceError(f"FileSystemNotFound: {properties['FileSystemId']}")
        siblings = [
            item
            for item in self._sandbox.fsx.associations.values()
            if item["FileSystemId"] == properties["FileSystemId"]
        ]
        if len(siblings) >= MOST_ASSOCIATIONS:
            raise ResourceError(
                f"ServiceLimitExceeded: a file system has at most {MOST_ASSOCIATIONS} associations"
            )
        for sibling in siblings:
            for name in ("FileSystemPath", "DataRepositoryPath"):
                if overlap(sibling[name], properties[name]):
                    raise ResourceError(
                        f"BadRequest: {name} {properties[name]} overlaps with {sibling[name]}"
                    )
        bucket = urlparse(properties["DataRepositoryPath"]).netloc
        if bucket not in s3_backends[request.account]["aws"].buckets:
            raise ResourceError(f"BadRequest: bucket {bucket} of DataRepositoryPath does not exist")

    def _record(self, request: ResourceRequest, made: Made) -> None:
        properties = request.properties
        known = self._sandbox.fsx.associations.get(made.physical_id, {})
        self._sandbox.fsx.associations[made.physical_id] = {
            "AssociationId": made.physical_id,
            "ResourceARN": made.state["ResourceARN"],
            "FileSystemId": properties["FileSystemId"],
            "FileSystemPath": properties["FileSystemPath"],
            "DataRepositoryPath": properties["DataRepositoryPath"],
            "Lifecycle": "AVAILABLE",
            "BatchImportMetaDataOnCreate": bool(properties.get("BatchImportMetaDataOnCreate", False)),
            "S3": properties.get("S3") or {},
            "CreationTime": known.get("CreationTime", datetime.now(UTC)),
        }
        self._tell_nodes()

    def _tell_nodes(self) -> None:
        """The simulated file systems move files by these."""
        rows = []
        for each in list(self._sandbox.fsx.associations.values()):
            place, events = urlparse(each["DataRepositoryPath"]), each["S3"]
            prefix = place.path.strip("/")
            rows.append(
                {
                    "file_system_id": each["FileSystemId"],
                    "path": each["FileSystemPath"],
                    "bucket": place.netloc,
                    "prefix": f"{prefix}/" if prefix else "",
                    "imports": (events.get("AutoImportPolicy") or {}).get("Events") or [],
                    "exports": (events.get("AutoExportPolicy") or {}).get("Events") or [],
                }
            )
        self._sandbox.fleet.tie(rows)


def overlap(one: str, other: str) -> bool:
    """Whether one path is the other or lies inside it."""
    left, right = one.rstrip("/") + "/", other.rstrip("/") + "/"
    return left.startswith(right) or right.startswith(left)
