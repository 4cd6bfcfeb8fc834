"""What docs/network.md says in tables and lists is what the code has."""

from __future__ import annotations

import re
from pathlib import Path

from bedplate.hardware.local_zones import LOCAL_ZONES, UNVERIFIED
from bedplate.spec.endpoints import ENDPOINT_SERVICES

PAGE = (Path(__file__).parents[2] / "docs" / "network.md").read_text(encoding="utf-8")


def test_the_table_of_endpoints_is_the_codes() -> None:
    """Each service with its kind and its caller, in the same order, and no row more."""
    table = PAGE.split("| endpoint | kind |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| ([a-z0-9-]+) \| (\w+) \| (.+) \|$", table, flags=re.MULTILINE)
    assert rows == [(each.name, each.kind.lower(), each.caller) for each in ENDPOINT_SERVICES]


def test_what_is_unverified_is_on_the_page() -> None:
    """Word for word what the warnings say, as a list."""
    assert [line[2:] for line in PAGE.split("\n") if line.startswith("- no document")] == list(UNVERIFIED)


def test_local_zones_are_named_as_the_code_has_them() -> None:
    """Name, id and group of each."""
    for zone in LOCAL_ZONES.values():
        assert all(f"`{each}`" in PAGE for each in (zone.name, zone.zone_id, zone.group))
