"""Properties that moto's models want in another shape than AWS gives them: type → shape for moto."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from moto.ec2.models import ec2_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import ResourceRequest

Properties = dict[str, Any]


def _kms_key(properties: Properties, _: ResourceRequest) -> Properties:
    tags = properties.get("Tags", [])
    return {**properties, "Tags": [{"TagKey": tag["Key"], "TagValue": tag["Value"]} for tag in tags]}


def _ssm_parameter(properties: Properties, request: ResourceRequest) -> Properties:
    """At AWS the tags of a parameter are a mapping; moto wants a list. moto makes up no name."""
    tags = properties.get("Tags", {})
    name = f"CFN-{request.logical_id}-{request.stack_id[-12:]}"
    return {"Name": name, **properties, "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}


def _ssm_document(properties: Properties, _: ResourceRequest) -> Properties:
    """CloudFormation takes the content as a mapping; moto stores a mapping's Python spelling."""
    content = properties["Content"]
    return {**properties, "Content": content if isinstance(content, str) else json.dumps(content)}


def _subnet(properties: Properties, request: ResourceRequest) -> Properties:
    """moto takes the zone by name only."""
    wanted = properties.get("AvailabilityZoneId")
    if wanted is None:
        return properties
    zones = ec2_backends[request.account][request.region].describe_availability_zones()
    name = next((zone.name for zone in zones if zone.zone_id == wanted), None)
    if name is None:
        raise ResourceError(
            f"Value ({wanted}) for parameter availabilityZoneId is invalid in {request.region}"
        )
    return {**properties, "AvailabilityZone": name}


PROPERTIES_FOR_MOTO: Mapping[str, Callable[[Properties, ResourceRequest], Properties]] = {
    "AWS::EC2::Subnet": _subnet,
    "AWS::KMS::Key": _kms_key,
    "AWS::SSM::Document": _ssm_document,
    "AWS::SSM::Parameter": _ssm_parameter,
}
