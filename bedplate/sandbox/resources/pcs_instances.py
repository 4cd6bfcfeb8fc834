"""The EC2 instances of a PCS node group, and the simulated nodes behind them."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from moto.ec2.models import ec2_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import ResourceRequest
from bedplate.sandbox.nodes import Role
from bedplate.sandbox.resources.pcs_partitions import partitions_of
from bedplate.sandbox.resources.pcs_reservation import places
from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.s3_objects import read_object, write_object

BOOTS_AT_ONCE = 4


class PcsInstances:
    """Launches and ends what a node group asks for."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def scale(self, request: ResourceRequest, group: Mapping[str, Any]) -> None:
        """Bring the number of instances between the group's minimum and maximum."""
        instances = self._sandbox.pcs.instances.setdefault(group["Id"], [])
        scaling = group["ScalingConfiguration"]
        surplus = instances[int(scaling["MaxInstanceCount"]) :]
        self._terminate(request, group["Id"], surplus)
        missing = int(scaling["MinInstanceCount"]) - len(instances)
        if missing > 0:
            self._launch(request, group, missing)

    def terminate_all(self, request: ResourceRequest, group_id: str) -> None:
        """End every instance of the group."""
        self._terminate(request, group_id, list(self._sandbox.pcs.instances.get(group_id, [])))

    def end(self, request: ResourceRequest, group_id: str, instance_ids: list[str]) -> None:
        """End instances of the group, as somebody asked of EC2."""
        self._terminate(request, group_id, instance_ids)

    def _launch(self, request: ResourceRequest, group: Mapping[str, Any], count: int) -> None:
        template = launch_template(request, group)
        reserved = places(self._sandbox, request, group, template, count=count)
        subnet = ec2_backends[request.account][request.region].get_subnet(group["SubnetIds"][0])
        free, needed = subnet.available_ip_address_count, count * _addresses(template)
        if free < needed:
            raise ResourceError(
                f"InsufficientFreeAddressesInSubnet: {subnet.id} has {free} free, {needed} are needed"
            )
        cluster_id, group_id = str(group["ClusterId"]), str(group["Id"])
        tags = {
            **_template_tags(template),
            "aws:pcs:cluster-id": cluster_id,
            "aws:pcs:compute-node-group-id": group_id,
        }
        reservation = ec2_backends[request.account][request.region].run_instances(
            image_id=str(group.get("AmiId") or template["ImageId"]),
            count=count,
            user_data=template.get("UserData"),
            security_group_names=[],
            security_group_ids=_security_groups(template),
            instance_type=group["InstanceConfigs"][0]["InstanceType"],
            is_instance_type_default=False,
            region_name=request.region,
            subnet_id=subnet.id,
            tags={"instance": tags, "volume": {}},
        )
        launched = [instance.id for instance in reservation.instances]
        names = self._names(str(group["Id"]), str(group["Name"]), launched)
        self._sandbox.pcs.instances[group["Id"]] += launched
        self._sandbox.launched_into.update(zip(launched, reserved, strict=False))
        user_data = _user_data(template)
        role: Role = "compute" if self._is_compute(group) else "login"
        jobs = [
            partial(
                self._sandbox.fleet.boot,
                instance.id,
                instance_type=instance.instance_type,
                role=role,
                private_ip=str(instance.private_ip),
                slurm_name=names[index] if role == "compute" else None,
                user_data=user_data,
                tags=tags,
                s3_fetch=partial(read_object, request.account),
                s3_put=partial(write_object, request.account),
                partitions=partitions_of(self._sandbox, cluster_id=cluster_id, group_id=group_id),
                efa_count=_efas(template),
            )
            for index, instance in enumerate(
                sorted(reservation.instances, key=lambda item: _address(str(item.private_ip)))
            )
        ]
        with ThreadPoolExecutor(BOOTS_AT_ONCE) as pool:
            for future in [pool.submit(job) for job in jobs]:
                try:
                    future.result()
                except Exception as error:
                    raise ResourceError(f"a node of {group['Name']} did not come up: {error}") from error

    def _names(self, group_id: str, group_name: str, launched: list[str]) -> list[str]:
        """The lowest names of the group that no running instance has, one for each that is launched."""
        named = self._sandbox.pcs.names.setdefault(group_id, {})
        free = (
            name for number in itertools.count(1) if (name := f"{group_name}-{number}") not in named.values()
        )
        names = list(itertools.islice(free, len(launched)))
        named.update(zip(launched, names, strict=True))
        return names

    def _is_compute(self, group: Mapping[str, Any]) -> bool:
        """A login group is one that runs no GPU; PCS itself knows no roles."""
        return str(group["InstanceConfigs"][0]["InstanceType"]).split(".")[0].startswith(("p", "g"))

    def _terminate(self, request: ResourceRequest, group_id: str, instance_ids: list[str]) -> None:
        if not instance_ids:
            return
        backend = ec2_backends[request.account][request.region]
        for instance, _ in backend.terminate_instances(instance_ids):
            for interface in list(instance.nics.values()):  # moto keeps those that were not asked to go
                backend.enis.pop(interface.id, None)
        for instance_id in instance_ids:
            self._sandbox.fleet.terminate(instance_id)
            self._sandbox.launched_into.pop(instance_id, None)
            self._sandbox.pcs.instances[group_id].remove(instance_id)
            self._sandbox.pcs.names.get(group_id, {}).pop(instance_id, None)


def launch_template(request: ResourceRequest, group: Mapping[str, Any]) -> Mapping[str, Any]:
    """The data of the template version that a group names; ``ResourceError`` where PCS would refuse it."""
    wanted = group["CustomLaunchTemplate"]
    template_id, version = wanted.get("TemplateId") or wanted.get("Id"), str(wanted["Version"])
    template = ec2_backends[request.account][request.region].get_launch_template(template_id)
    if version in {"$Latest", "$Default"}:
        raise ResourceError(
            f"ValidationException: CustomLaunchTemplate.Version must be a number, not {version}"
        )
    found = next((item for item in template.versions if str(item.number) == version), None)
    if found is None:
        raise ResourceError(f"ValidationException: launch template {template_id} has no version {version}")
    data: Mapping[str, Any] = found.data
    return data


def _template_tags(template: Mapping[str, Any]) -> dict[str, str]:
    specifications = template.get("TagSpecifications") or []
    chosen = [item for item in specifications if item.get("ResourceType") == "instance"]
    return {tag["Key"]: tag["Value"] for item in chosen for tag in item.get("Tags", [])}


def _security_groups(template: Mapping[str, Any]) -> list[str]:
    groups = list(template.get("SecurityGroupIds") or [])
    for interface in template.get("NetworkInterfaces") or []:
        groups += interface.get("Groups") or []
    return list(dict.fromkeys(groups))


def _efas(template: Mapping[str, Any]) -> int | None:
    """EFAs that the template attaches; None where it lists no interfaces."""
    interfaces = template.get("NetworkInterfaces")
    if not interfaces:
        return None
    return sum(1 for each in interfaces if each.get("InterfaceType") in ("efa", "efa-only"))


def _addresses(template: Mapping[str, Any]) -> int:
    """Addresses of one instance: one for each interface that is no bare EFA."""
    interfaces = template.get("NetworkInterfaces") or [{}]
    return sum(1 for each in interfaces if each.get("InterfaceType") != "efa-only")


def _user_data(template: Mapping[str, Any]) -> str:
    value = template.get("UserData") or ""
    if isinstance(value, str):
        return base64.b64decode(value).decode("utf-8")
    return str(value.decode())  # moto's Base64EncodedString


def _address(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))
