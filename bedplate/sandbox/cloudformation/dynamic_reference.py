"""Dynamic references: ``{{resolve:ssm:NAME:VERSION}}`` or ``{{resolve:secretsmanager:…}}`` in a property."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from moto.secretsmanager.models import secretsmanager_backends
from moto.ssm.models import ssm_backends
from werkzeug.exceptions import HTTPException

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
    if service == "secretsmanager":
        return _secret(rest, account=account, region=region)
    if service != "ssm":
        raise ResourceError(f"SBX-020: the sandbox resolves ssm and secretsmanager references, not {service}")
    name, _, version = rest.partition(":")
    if name.startswith(PUBLIC_IMAGE_PREFIXES):
        return public_image(name, version=version, region=region)
    found = ssm_backends[account][region].get_parameter(f"{name}:{version}" if version else name)
    if found is None:
        raise ResourceError(f"Could not resolve {match.group(0)}: no such SSM parameter")
    return str(found.value)


# The secret's ARN or name; then, all of it or nothing: SecretString, key in the JSON, stage, version.
_SECRET = re.compile(
    r"(?P<secret>arn:[^:]+:secretsmanager:[^:]*:[^:]*:secret:[^:]+|[^:]+)"
    r"(?::SecretString(?::(?P<key>[^:]*)(?::(?P<stage>[^:]*)(?::(?P<version>[^:]*))?)?)?)?"
)


def _secret(rest: str, *, account: str, region: str) -> str:
    match = _SECRET.fullmatch(rest)
    if match is None:
        raise ResourceError(f"Incorrect format is used in the following secretsmanager reference: {rest}")
    secret, key, stage, version = match.group("secret", "key", "stage", "version")
    try:
        found = secretsmanager_backends[account][region].get_secret_value(
            secret,
            version or None,  # type: ignore[arg-type]  # moto asks whether it is None
            stage or ("" if version else "AWSCURRENT"),
        )
        text = str(found["SecretString"])
    except (HTTPException, KeyError) as error:
        raise ResourceError(f"Could not resolve secretsmanager reference {rest}: {error}") from error
    if not key:
        return text
    try:
        return str(json.loads(text)[key])
    except (ValueError, KeyError, TypeError) as error:
        raise ResourceError(
            f"Could not find a value associated with JSONKey in SecretString: {key}"
        ) from error
