"""Which services offer endpoints: moto's own table lacks PCS, and its filters fail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend

from bedplate.sandbox.services.service import ApiError, Call
from bedplate.spec.endpoints import ENDPOINT_SERVICES

_OTHERS = ("ec2", "ecr.api", "ecr.dkr", "kms", "logs", "monitoring", "secretsmanager", "sts")
"""Services that jobs may call beside those of the cluster; the sandbox offers no others."""


def endpoint_services(call: Call) -> Mapping[str, Any]:
    """DescribeVpcEndpointServices, by name or by the filter ``service-name``; offered in every zone."""
    kinds = {each.name: each.kind for each in ENDPOINT_SERVICES} | dict.fromkeys(_OTHERS, "Interface")
    offered = {f"com.amazonaws.{call.region}.{name}": kind for name, kind in kinds.items()}
    names = call.get("ServiceNames") or list(offered)
    missing = [name for name in names if name not in offered]
    if missing:
        raise ApiError("InvalidServiceName", f"The Vpc Endpoint Service '{missing[0]}' does not exist")
    for each in call.get("Filters") or []:
        if each["Name"] != "service-name":
            raise ApiError("InvalidParameterValue", f"SBX-018: the sandbox knows no filter {each['Name']}")
        names = [name for name in names if name in each["Values"]]
    zones = [
        zone.name
        for zone in RegionsAndZonesBackend.zones.get(call.region, [])
        if zone.zone_type == "availability-zone"
    ]
    details = [
        {
            "ServiceName": name,
            "ServiceType": [{"ServiceType": offered[name]}],
            "AvailabilityZones": zones,
            "Owner": "amazon",
        }
        for name in names
    ]
    return {"ServiceNames": names, "ServiceDetails": details}
