"""The launch template of a node group, as far as EKS and the sandbox look at it."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from moto.ec2.models import ec2_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import ResourceRequest

Row = Mapping[str, Any]
DEFAULT_TYPE = "t3.medium"
"""What EKS runs where neither template nor group names a type (EKS User Guide, launch-templates)."""


def template_of(request: ResourceRequest, group: Row) -> Row:
    """The data of the template version that a group names; empty where it names none."""
    wanted = group.get("LaunchTemplate")
    if not wanted:
        return {}
    if bool(wanted.get("Id")) == bool(wanted.get("Name")):
        raise ResourceError("InvalidParameterException: LaunchTemplate takes one of Id and Name")
    backend = ec2_backends[request.account][request.region]
    if wanted.get("Id"):
        template = backend.get_launch_template(wanted["Id"])
    else:
        template = backend.get_launch_template_by_name(wanted["Name"])
    version = str(wanted.get("Version") or "$Default")
    if version.startswith("$"):
        number = template.latest_version_number if version == "$Latest" else template.default_version_number
        version = str(number)
    found = next((each for each in template.versions if str(each.number) == version), None)
    if found is None:
        raise ResourceError(
            f"InvalidParameterException: launch template {template.id} has no version {version}"
        )
    data: Row = found.data
    return data


def type_of(group: Row, template: Row) -> str:
    """The instance type that is launched first."""
    return str(template.get("InstanceType") or next(iter(group.get("InstanceTypes") or []), DEFAULT_TYPE))


def security_groups(template: Row) -> list[str]:
    """Every security group that the template names."""
    groups = list(template.get("SecurityGroupIds") or [])
    for interface in template.get("NetworkInterfaces") or []:
        groups += interface.get("Groups") or []
    return list(dict.fromkeys(groups))


def efas(template: Row) -> int | None:
    """EFAs that the template attaches; None where it lists no interfaces."""
    interfaces = template.get("NetworkInterfaces")
    if not interfaces:
        return None
    return sum(1 for each in interfaces if each.get("InterfaceType") in ("efa", "efa-only"))


def addresses(template: Row) -> int:
    """Addresses of one instance: one for each interface that is no bare EFA. Those of pods are not played."""
    interfaces = template.get("NetworkInterfaces") or [{}]
    return sum(1 for each in interfaces if each.get("InterfaceType") != "efa-only")


def tags(template: Row) -> dict[str, str]:
    """Tags that the template gives to instances."""
    specifications = template.get("TagSpecifications") or []
    chosen = [each for each in specifications if each.get("ResourceType") == "instance"]
    return {tag["Key"]: tag["Value"] for each in chosen for tag in each.get("Tags", [])}


def user_data(template: Row) -> str:
    """The template's user data as text."""
    value = template.get("UserData") or ""
    if isinstance(value, str):
        return base64.b64decode(value).decode("utf-8")
    return str(value.decode())  # moto's Base64EncodedString
