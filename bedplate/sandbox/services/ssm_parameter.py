"""SSM GetParameter: AWS's own image parameters, which moto lacks; every other parameter is moto's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moto.ssm.models import ssm_backends

from bedplate.sandbox.cloudformation.dynamic_reference import PUBLIC_IMAGE_PREFIXES, public_image
from bedplate.sandbox.services.service import ApiError, Call

NEWEST_VERSION = 1
"""The version of every public image parameter; the sandbox publishes no newer image."""


def get_parameter(call: Call) -> Mapping[str, Any]:
    """One parameter, by name or ``name:version``."""
    asked = call.need("Name")
    name, _, version = asked.partition(":")
    if name.startswith(PUBLIC_IMAGE_PREFIXES):
        if version not in {"", str(NEWEST_VERSION)}:
            raise ApiError("ParameterVersionNotFound", f"{name} has no version {version}")
        image = public_image(name, version=str(NEWEST_VERSION), region=call.region)
        return {"Parameter": {"Name": name, "Type": "String", "Value": image, "Version": NEWEST_VERSION}}
    found = ssm_backends[call.account][call.region].get_parameter(asked)
    if found is None:
        raise ApiError("ParameterNotFound", f"Parameter {asked} not found.")
    return {"Parameter": found.response_object(call.get("WithDecryption", False), call.region)}
