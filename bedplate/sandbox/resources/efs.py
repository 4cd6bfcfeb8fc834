"""AWS::EFS::FileSystem and AWS::EFS::MountTarget, told by moto's EFS."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any

from moto.core.exceptions import ServiceException
from moto.efs.models import efs_backends
from werkzeug.exceptions import HTTPException

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest


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
            _or_refused(lambda: backend.delete_file_system(made.physical_id))


class EfsMountTargetHandler:
    """A mount target: one a zone and file system, all in one VPC."""

    def create(self, request: ResourceRequest) -> Made:
        """Create it with its network interface."""
        properties = request.properties
        backend = efs_backends[request.account][request.region]
        target = _or_refused(
            lambda: backend.create_mount_target(
                file_system_id=properties["FileSystemId"],
                subnet_id=properties["SubnetId"],
                security_groups=list(properties["SecurityGroups"]),
            )
        )
        return Made(target.mount_target_id, {"Id": target.mount_target_id}.__getitem__, target)

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Take other security groups; all else is create-only."""
        made.state.security_groups = list(request.properties["SecurityGroups"])
        return made

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Delete it with its network interface; one that is gone is no error."""
        backend = efs_backends[request.account][request.region]
        if made.physical_id in backend.mount_targets_by_id:
            backend.delete_mount_target(made.physical_id)


def _configure(request: ResourceRequest, made: Made) -> None:
    policy = request.properties.get("FileSystemPolicy")
    made.state.file_system_policy = (
        policy if isinstance(policy, str) or policy is None else json.dumps(policy)
    )
    made.state.lifecycle_policies = list(request.properties.get("LifecyclePolicies") or [])


def _tags(request: ResourceRequest) -> list[dict[str, str]]:
    own = {tag["Key"]: str(tag["Value"]) for tag in request.properties.get("FileSystemTags") or []}
    return [{"Key": key, "Value": value} for key, value in {**request.all_tags(), **own}.items()]


def _or_refused(call: Any) -> Any:
    try:
        return call()
    except (ServiceException, HTTPException) as error:
        raise ResourceError(f"BadRequest: {error}") from error
