"""SSM GetParameter: AWS's own image parameters, which moto lacks; every other parameter is moto's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moto.ssm.models import ssm_backends

from bedplate.sandbox.cloudformation.dynamic_reference import PUBLIC_IMAGE_PREFIXES
from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.public_images import PublicImages
from bedplate.sandbox.services.service import ApiError, Call


def get_parameter(sandbox: Sandbox, call: Call) -> Mapping[str, Any]:
    """One parameter, by name or ``name:version``."""
    asked = str(call.need("Name"))
    if asked.startswith(PUBLIC_IMAGE_PREFIXES):
        return PublicImages(sandbox).parameter(call)
    found = ssm_backends[call.account][call.region].get_parameter(asked)
    if found is None:
        raise ApiError("ParameterNotFound", f"Parameter {asked} not found.")
    return {"Parameter": found.response_object(call.get("WithDecryption", False), call.region)}
