"""AWS::EFS::FileSystem, told by moto's EFS."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any

from moto.efs.models import efs_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.resources.efs_refusal import or_refused


class EfsFileSystemHandler:
    """A file system; EFS refuses its deletion while it has mount targets."""

    def create(self, request: ResourceRequest) -> Made:
        """Create it with its policy and life cycle."""
        properties = request.properties
        if properties.get("KmsKeyId") and properties.get("Encrypted") not in (True, "true"):
            raise ResourceError("BadRequest: KmsKeyId needs Encrypted")
        backup = (properties.get("BackupPolicy") or {}).get("Status") == "ENABLED"
        file_system = efs_backends[request.account][request.region].create_file_system(
            creation_token=uuid.uuid4().hex,
            performance_mode=properties.get("PerformanceMode", "generalPurpose"),
            encrypted=properties.get("Encrypted") in (True, "true"),
            kms_key_id=properties.get("KmsKeyId", ""),
            throughput_mode=properties.get("ThroughputMode", "bursting"),
            provisioned_throughput_in_mibps=int(properties.get("ProvisionedThroughputInMibps", 0)),
            availability_zone_name=properties.get("AvailabilityZoneName", ""),
            backup=backup,
            tags=_tags(request),
        )
        made = Made(
            file_system.file_system_id,
            {"FileSystemId": file_system.file_system_id, "Arn": file_system.file_system_arn}.__getitem__,
            file_system,
        )
        _configure(request, made)
        return made

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Change throughput mode, policy and life cycle in place."""
        made.state.throughput_mode = request.properties.get("ThroughputMode", "bursting")
        _configure(request, made)
        return made

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Delete it; one that is gone is no error."""
        backend = efs_backends[request.account][request.region]
        if made.physical_id in backend.file_systems_by_id:
            or_refused(lambda: backend.delete_file_system(made.physical_id))


def _configure(request: ResourceRequest, made: Made) -> None:
    policy = request.properties.get("FileSystemPolicy")
    made.state.file_system_policy = (
        policy if isinstance(policy, str) or policy is None else json.dumps(policy)
    )
    made.state.lifecycle_policies = list(request.properties.get("LifecyclePolicies") or [])


def _tags(request: ResourceRequest) -> list[dict[str, str]]:
    own = {tag["Key"]: str(tag["Value"]) for tag in request.properties.get("FileSystemTags") or []}
    return [{"Key": key, "Value": value} for key, value in {**request.all_tags(), **own}.items()]
