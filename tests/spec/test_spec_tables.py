"""Tables of the environment file are held against what others ship."""

from __future__ import annotations

from pathlib import Path

from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend

from bedplate.diagnosis.checks import ROWS
from bedplate.hardware import ULTRASERVERS
from bedplate.spec import reference
from bedplate.spec.known_checks import KNOWN_CHECKS
from bedplate.spec.regions import ZONE_PREFIXES, nearest_region, region_of_zone

DOCS = Path(__file__).parents[2] / "docs"


def test_zone_prefixes_are_motos() -> None:
    """Each Region's zones in moto begin with the table's prefix; neither has a Region more."""
    zones = RegionsAndZonesBackend.zones
    for region, listed in zones.items():
        assert {zone.zone_id.split("-")[0] for zone in listed} == {ZONE_PREFIXES[region]}, region
    assert set(ZONE_PREFIXES) == set(zones)


def test_prefixes_tell_regions_apart() -> None:
    """No two Regions share a prefix, so a zone id names one Region."""
    assert len(set(ZONE_PREFIXES.values())) == len(ZONE_PREFIXES)
    assert region_of_zone("use1-dfw2-az1") == "us-east-1"
    assert region_of_zone("xyz9-az1") is None
    assert nearest_region("us-wets-2") == "us-west-2"
    assert nearest_region("nowhere") is None


def test_known_checks_are_those_that_validation_makes() -> None:
    """A waiver can name every check of the diagnosis, and nothing else."""
    assert set(KNOWN_CHECKS) == set(ROWS)
    assert list(KNOWN_CHECKS) == sorted(KNOWN_CHECKS)


def test_ultraservers_have_sizes() -> None:
    """The rule on whole UltraServers has data to stand on: each size is a multiple of the smallest."""
    sizes = sorted(each.instances for each in ULTRASERVERS.values())
    assert sizes
    assert all(size % sizes[0] == 0 for size in sizes)


def test_reference_pages_are_the_generated_ones() -> None:
    """``python -m bedplate.spec.reference docs`` would change nothing."""
    assert (DOCS / "reference" / "environment.md").read_text(encoding="utf-8") == reference.reference_page()
    assert (DOCS / "checks" / "environment.md").read_text(encoding="utf-8") == reference.checks_page()
