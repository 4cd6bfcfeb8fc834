"""Dynamic references: ``{{resolve:ssm:NAME:VERSION}}`` inside a property."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from moto.ssm.models import ssm_backends

from bedplate.sandbox.cloudformation.errors import ResourceError

_REFERENCE = re.compile(r"\{\{resolve:([a-z-]+):([^}]+)\}\}")
# AWS's own parameters that moto lacks; any name below gets an AMI id that follows from name and version.
PUBLIC_IMAGE_PREFIXES = ("/aws/service/pcs/ami/",)


def resolve_references(value: Any, *, account: str, region: str) -> Any:
    """A copy of ``value`` in which every dynamic reference is replaced; one that leads nowhere is refused."""
    if isinstance(value, dict):
        return {key: resolve_references(item, account=account, region=region) for key, item in value.items()}
    if isinstance(value, list):
        return [resolve_references(item, account=account, region=region) for item in value]
    if isinstance(value, str) and "{{resolve:" in value:
        return _REFERENCE.sub(lambda match: _value(match, account, region), value)
    return value


def public_image(name: str, *, version: str, region: str) -> str:
    """The AMI id of one version of a public parameter; the same on every day."""
    return "ami-" + hashlib.sha256(f"{name}:{version}:{region}".encode()).hexdigest()[:17]


def _value(match: re.Match[str], account: str, region: str) -> str:
    service, rest = match.groups()
    if service != "ssm":
        raise ResourceError(f"SBX-020: the sandbox resolves ssm references, not {service}")
    name, _, version = rest.partition(":")
    if name.startswith(PUBLIC_IMAGE_PREFIXES):
        return public_image(name, version=version, region=region)
    found = ssm_backends[account][region].get_parameter(f"{name}:{version}" if version else name)
    if found is None:
        raise ResourceError(f"Could not resolve {match.group(0)}: no such SSM parameter")
    return str(found.value)
