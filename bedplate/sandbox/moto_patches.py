"""What is mended in moto 5.2.5 itself, each with its reason. The version is pinned for this module's sake."""

from __future__ import annotations

import json
from typing import Any

from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend, Zone
from moto.iam.access_control import IAMPolicy, PermissionResult
from moto.iam.models import SERVICE_NAME_CONVERSION
from moto.s3.models import FakeBucket

from bedplate.hardware.local_zones import LOCAL_ZONES

# moto names a service-linked role after the service's host name; these services have names of their own.
_SERVICE_LINKED_ROLE_NAMES = {
    "elasticfilesystem": "AmazonElasticFileSystem",
    "fsx": "AmazonFSx",
    "pcs": "PCS",
    "spot": "EC2Spot",
}


def apply() -> None:
    """Mend moto; harmless when called twice."""
    SERVICE_NAME_CONVERSION.update(_SERVICE_LINKED_ROLE_NAMES)
    FakeBucket.get_permission = _bucket_permission  # type: ignore[method-assign, assignment]
    _add_local_zones()


def _add_local_zones() -> None:
    """moto knows no Local Zones; the sandbox's accounts have opted in to those that GPUs are sold in."""
    for each in LOCAL_ZONES.values():
        zones = RegionsAndZonesBackend.zones[each.region]
        if each.name in {zone.name for zone in zones}:
            continue
        zone: Any = Zone(each.name, each.region, each.zone_id, zone_type="local-zone")
        zone.opt_in_status = "opted-in"
        zone.group_name = zone.network_border_group = each.group
        zone.parent_zone_id, zone.parent_zone_name = zones[0].zone_id, zones[0].name
        zones.append(zone)


def _bucket_permission(bucket: Any, action: str, resource: str) -> Any:
    """moto drops conditions, so that a Deny without ``aws:SecureTransport`` shuts a bucket for all.

    Statements under a condition are left out: the sandbox cannot tell whether their conditions hold.
    """
    if bucket.policy is None:
        return PermissionResult.NEUTRAL
    text = bucket.policy.decode() if isinstance(bucket.policy, bytes) else bucket.policy
    policy = json.loads(text)
    policy["Statement"] = [statement for statement in policy["Statement"] if "Condition" not in statement]
    if not policy["Statement"]:
        return PermissionResult.NEUTRAL
    return IAMPolicy(json.dumps(policy)).is_action_permitted(action, resource)
