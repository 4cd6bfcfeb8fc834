"""AWS::EFS::MountTarget, told by moto's EFS."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moto.efs.models import efs_backends

from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.resources.efs_refusal import or_refused


class EfsMountTargetHandler:
    """A mount target: one a zone and file system, all in one VPC."""

    def create(self, request: ResourceRequest) -> Made:
        """Create it with its network interface."""
        properties = request.properties
        backend = efs_backends[request.account][request.region]
        target = or_refused(
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
