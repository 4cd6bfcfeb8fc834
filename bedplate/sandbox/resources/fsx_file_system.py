"""AWS::FSx::FileSystem (Lustre)."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from moto.ec2.models import ec2_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.generic_handler import GenericHandler, random_id
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.fsx import delete_file_system
from bedplate.sandbox.services.service import ApiError


class FsxFileSystemHandler(GenericHandler):
    """A file system in one subnet; deletion is refused while associations exist."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def create(self, request: ResourceRequest) -> Made:
        """Create the record; only Lustre is played."""
        if request.properties["FileSystemType"] != "LUSTRE":
            raise ResourceError(
                f"SBX-017: the sandbox plays Lustre, not {request.properties['FileSystemType']}"
            )
        _check_lustre(request.properties)
        for subnet_id in request.properties["SubnetIds"]:
            ec2_backends[request.account][request.region].get_subnet(subnet_id)
        made = super().create(request)
        self._sandbox.fsx.interfaces[made.physical_id] = _interface(request)
        self._record(request, made)
        return made

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Grow or tune the file system; FSx never shrinks one."""
        before, after = int(old.get("StorageCapacity", 0)), int(request.properties.get("StorageCapacity", 0))
        if after < before:
            raise ResourceError(f"BadRequest: StorageCapacity cannot be decreased from {before} to {after}")
        _check_lustre(request.properties)
        new = super().update(request, made, old)
        self._record(request, new)
        return new

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Refuse while associations exist."""
        try:
            delete_file_system(self._sandbox, request.account, request.region, made.physical_id)
        except ApiError as error:
            if error.code != "FileSystemNotFound":
                raise ResourceError(str(error)) from error

    def attributes(self, request: ResourceRequest, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Id, ARN, DNS name and the mount name that FSx makes up."""
        file_system_id = str(values.get("Id", ""))
        mount_name = str(values.get("LustreMountName", ""))
        if not file_system_id.startswith("fs-"):
            file_system_id, mount_name = random_id("fs"), uuid.uuid4().hex[:8]
        return {
            "Id": file_system_id,
            "DNSName": f"{file_system_id}.fsx.{request.region}.amazonaws.com",
            "LustreMountName": mount_name,
            "ResourceARN": request.arn("fsx", f"file-system/{file_system_id}"),
            "RootVolumeId": "",
        }

    def _record(self, request: ResourceRequest, made: Made) -> None:
        properties, state = request.properties, made.state
        lustre = dict(properties.get("LustreConfiguration") or {})
        subnet = ec2_backends[request.account][request.region].get_subnet(properties["SubnetIds"][0])
        known = self._sandbox.fsx.file_systems.get(made.physical_id, {})
        self._sandbox.fsx.file_systems[made.physical_id] = {
            "OwnerId": request.account,
            "CreationTime": known.get("CreationTime", datetime.now(UTC)),
            "FileSystemId": made.physical_id,
            "FileSystemType": "LUSTRE",
            "FileSystemTypeVersion": properties.get("FileSystemTypeVersion", "2.15"),
            "Lifecycle": "AVAILABLE",
            "StorageCapacity": int(properties.get("StorageCapacity", 0)),
            "StorageType": properties.get("StorageType", "SSD"),
            "VpcId": subnet.vpc_id,
            "SubnetIds": list(properties["SubnetIds"]),
            "DNSName": state["DNSName"],
            "ResourceARN": state["ResourceARN"],
            "Tags": [{"Key": key, "Value": value} for key, value in request.all_tags().items()],
            "LustreConfiguration": {
                "MountName": state["LustreMountName"],
                "DeploymentType": lustre.get("DeploymentType"),
                "PerUnitStorageThroughput": lustre.get("PerUnitStorageThroughput"),
                "EfaEnabled": bool(lustre.get("EfaEnabled", False)),
                "DataCompressionType": lustre.get("DataCompressionType", "NONE"),
                "MetadataConfiguration": lustre.get("MetadataConfiguration"),
            },
        }


def _interface(request: ResourceRequest) -> str:
    """The network interface by which FSx stands in the subnet; it holds subnet and security groups in use."""
    backend = ec2_backends[request.account][request.region]
    subnet = backend.get_subnet(request.properties["SubnetIds"][0])
    eni = backend.create_network_interface(
        subnet,
        subnet.get_available_subnet_ip(instance=None),  # type: ignore[arg-type]  # moto only stores it
        group_ids=list(request.properties.get("SecurityGroupIds") or []),
        description="Created by Amazon FSx",
    )
    return str(eni.id)


def _check_lustre(properties: Mapping[str, Any]) -> None:
    """What FSx refuses: EFA needs PERSISTENT_2 with metadata configuration.

    Source: FSx for Lustre User Guide, EFA-enabled file systems
    (https://docs.aws.amazon.com/fsx/latest/LustreGuide/efa-file-systems.html); ``efa_enabled`` in the
    Terraform provider's documentation says the same.
    """
    lustre = properties.get("LustreConfiguration") or {}
    if lustre.get("EfaEnabled") in (True, "true"):
        if lustre.get("DeploymentType") != "PERSISTENT_2":
            raise ResourceError("BadRequest: EfaEnabled needs DeploymentType PERSISTENT_2")
        if not lustre.get("MetadataConfiguration"):
            raise ResourceError("BadRequest: EfaEnabled needs a MetadataConfiguration")
