"""AWS::FSx::FileSystem (Lustre and OpenZFS)."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from moto.ec2.models import ec2_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.generic_handler import GenericHandler, random_id
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.resources.fsx_lustre import check_lustre, check_ports, lustre_of
from bedplate.sandbox.resources.fsx_openzfs import check_openzfs, new_volume_id, openzfs_of, root_volume_of
from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.fsx_delete import delete_file_system
from bedplate.sandbox.services.service import ApiError

_CHECKS = {"LUSTRE": check_lustre, "OPENZFS": check_openzfs}


class FsxFileSystemHandler(GenericHandler):
    """A file system in one subnet; deletion is refused while associations exist."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def create(self, request: ResourceRequest) -> Made:
        """Create the record; Lustre and OpenZFS are played."""
        kind = request.properties["FileSystemType"]
        if kind not in _CHECKS:
            raise ResourceError(f"SBX-017: the sandbox plays {' and '.join(_CHECKS)}, not {kind}")
        _CHECKS[kind](request.properties)
        backend = ec2_backends[request.account][request.region]
        for subnet_id in request.properties["SubnetIds"]:
            backend.get_subnet(subnet_id)
        _check_groups(request)
        made = super().create(request)
        self._sandbox.fsx.interfaces[made.physical_id] = _interface(request)
        self._record(request, made)
        return made

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Grow or tune the file system; FSx never shrinks one."""
        before, after = int(old.get("StorageCapacity", 0)), int(request.properties.get("StorageCapacity", 0))
        if after < before:
            raise ResourceError(f"BadRequest: StorageCapacity cannot be decreased from {before} to {after}")
        _CHECKS[request.properties["FileSystemType"]](request.properties)
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
        """Id, ARN, DNS name, and the mount name or root volume that FSx makes up."""
        known = {name: str(values.get(name, "")) for name in ("Id", "LustreMountName", "RootVolumeId")}
        if not known["Id"].startswith("fs-"):
            lustre = request.properties["FileSystemType"] == "LUSTRE"
            known = {
                "Id": random_id("fs"),
                "LustreMountName": uuid.uuid4().hex[:8] if lustre else "",
                "RootVolumeId": "" if lustre else new_volume_id(),
            }
        return {
            **known,
            "DNSName": f"{known['Id']}.fsx.{request.region}.amazonaws.com",
            "ResourceARN": request.arn("fsx", f"file-system/{known['Id']}"),
        }

    def _record(self, request: ResourceRequest, made: Made) -> None:
        properties, state, records = request.properties, made.state, self._sandbox.fsx
        subnet = ec2_backends[request.account][request.region].get_subnet(properties["SubnetIds"][0])
        known = records.file_systems.get(made.physical_id, {})
        record = {
            "OwnerId": request.account,
            "CreationTime": known.get("CreationTime", datetime.now(UTC)),
            "FileSystemId": made.physical_id,
            "FileSystemType": properties["FileSystemType"],
            "Lifecycle": "AVAILABLE",
            "StorageCapacity": int(properties.get("StorageCapacity", 0)),
            "StorageType": properties.get("StorageType", "SSD"),
            "VpcId": subnet.vpc_id,
            "SubnetIds": list(properties["SubnetIds"]),
            "NetworkInterfaceIds": [records.interfaces[made.physical_id]],
            "DNSName": state["DNSName"],
            "ResourceARN": state["ResourceARN"],
            "Tags": [{"Key": key, "Value": value} for key, value in request.all_tags().items()],
        }
        if properties["FileSystemType"] == "LUSTRE":
            record["FileSystemTypeVersion"] = properties.get("FileSystemTypeVersion", "2.15")
            record["LustreConfiguration"] = lustre_of(properties, mount_name=state["LustreMountName"])
        else:
            volume_id = state["RootVolumeId"]
            record["OpenZFSConfiguration"] = openzfs_of(properties, root_volume_id=volume_id)
            records.volumes[volume_id] = root_volume_of(
                properties, file_system_id=made.physical_id, root_volume_id=volume_id
            )
        records.file_systems[made.physical_id] = record


def _check_groups(request: ResourceRequest) -> None:
    """Given groups must exist, and let the servers of Lustre speak with each other."""
    ids = list(request.properties.get("SecurityGroupIds") or [])
    backend = ec2_backends[request.account][request.region]
    groups = [backend.get_security_group_from_id(each) for each in ids]
    if None in groups:
        raise ResourceError(f"BadRequest: the security group {ids[groups.index(None)]} does not exist")
    if groups and request.properties["FileSystemType"] == "LUSTRE":
        lustre = request.properties.get("LustreConfiguration") or {}
        check_ports(groups, efa=lustre.get("EfaEnabled") in (True, "true"))


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
