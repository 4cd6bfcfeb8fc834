"""Changes in place that moto's models cannot make: type → rule that returns whether it made the change."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from bedplate.sandbox.cloudformation.handler import ResourceRequest

Update = Callable[[ResourceRequest, Any, set[str]], bool]


def _log_group(request: ResourceRequest, group: Any, changed: set[str]) -> bool:
    if not changed <= {"RetentionInDays", "Tags"}:
        return False
    group.retention_in_days = request.properties.get("RetentionInDays")
    return True


def _kms_key(request: ResourceRequest, key: Any, changed: set[str]) -> bool:
    if not changed <= {"KeyPolicy", "Description", "EnableKeyRotation", "Tags"}:
        return False
    key.policy = json.dumps(request.properties["KeyPolicy"])
    key.description = request.properties.get("Description", "")
    key.key_rotation_status = bool(request.properties.get("EnableKeyRotation"))
    return True


def _vpc_endpoint(request: ResourceRequest, endpoint: Any, changed: set[str]) -> bool:
    if not changed <= {
        "PolicyDocument",
        "SubnetIds",
        "SecurityGroupIds",
        "RouteTableIds",
        "PrivateDnsEnabled",
        "Tags",
    }:
        return False
    endpoint.policy_document = request.properties.get("PolicyDocument")
    endpoint.subnet_ids = request.properties.get("SubnetIds", [])
    endpoint.security_group_ids = request.properties.get("SecurityGroupIds", [])
    endpoint.route_table_ids = request.properties.get("RouteTableIds", [])
    return True


def _managed_policy(request: ResourceRequest, policy: Any, changed: set[str]) -> bool:
    if not changed <= {"PolicyDocument"}:
        return False
    policy.update_default_version(str(policy.default_version_id))
    policy.document = json.dumps(request.properties["PolicyDocument"])
    return True


def _subnet(request: ResourceRequest, subnet: Any, changed: set[str]) -> bool:
    if not changed <= {"MapPublicIpOnLaunch", "Tags"}:
        return False
    subnet.map_public_ip_on_launch = str(request.properties.get("MapPublicIpOnLaunch", False)).lower()
    return True


UPDATES: Mapping[str, Update] = {
    "AWS::Logs::LogGroup": _log_group,
    "AWS::KMS::Key": _kms_key,
    "AWS::EC2::VPCEndpoint": _vpc_endpoint,
    "AWS::IAM::ManagedPolicy": _managed_policy,
    "AWS::EC2::Subnet": _subnet,
}
