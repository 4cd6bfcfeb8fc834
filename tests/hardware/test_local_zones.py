"""Local Zones that UltraServers are sold in."""

from __future__ import annotations

from bedplate.hardware import ULTRASERVERS
from bedplate.hardware.local_zones import LOCAL_ZONES


def test_every_zone_of_an_ultraserver_has_a_row() -> None:
    """UltraServers name zones, templates need their ids."""
    assert {name for each in ULTRASERVERS.values() for name in each.zones} <= set(LOCAL_ZONES)


def test_rows_agree_with_themselves() -> None:
    """A zone's name is its group's with a letter, in its Region; each has a source."""
    for name, zone in LOCAL_ZONES.items():
        assert name == zone.name
        assert zone.name[:-1] == zone.group
        assert zone.group.startswith(f"{zone.region}-")
        assert zone.sources
