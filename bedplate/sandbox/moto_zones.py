"""Local Zones, which moto does not know, and what is sold in them."""

from __future__ import annotations

from typing import Any

from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend, Zone
from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS

from bedplate.hardware import ULTRASERVERS
from bedplate.hardware.local_zones import LOCAL_ZONES, LocalZone


def add_local_zones() -> None:
    """Add those that GPUs are sold in; every account has opted in to them. Harmless when called twice."""
    for each in LOCAL_ZONES.values():
        zones = RegionsAndZonesBackend.zones[each.region]
        if each.name not in {zone.name for zone in zones}:
            zones.append(_zone(each, parent=zones[0]))
            _offer(each)


def _zone(local: LocalZone, *, parent: Zone) -> Zone:
    zone: Any = Zone(local.name, local.region, local.zone_id, zone_type="local-zone")
    zone.opt_in_status = "opted-in"
    zone.group_name = zone.network_border_group = local.group
    zone.parent_zone_id, zone.parent_zone_name = parent.zone_id, parent.name
    return zone  # type: ignore[no-any-return]


def _offer(local: LocalZone) -> None:
    places = {
        "availability-zone": local.name,
        "availability-zone-id": local.zone_id,
        "region": local.region,
    }
    for server in ULTRASERVERS.values():
        if local.name not in server.zones:
            continue
        for kind, place in places.items():
            row = {"InstanceType": server.instance_type.name, "Location": place}
            rows = INSTANCE_TYPE_OFFERINGS[kind][local.region]
            if row not in rows:
                rows.append(row)
