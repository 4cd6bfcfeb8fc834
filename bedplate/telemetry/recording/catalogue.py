"""All recorded series, by family and by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bedplate.telemetry.recording import jobs, nodes, pools
from bedplate.telemetry.recording.recorded import Recorded

RECORDED_FAMILIES: Mapping[str, tuple[Recorded, ...]] = MappingProxyType(
    {"nodes": nodes.RECORDED, "pools": pools.RECORDED, "jobs": jobs.RECORDED}
)
"""One rule group each."""

RECORDED: Mapping[str, Recorded] = MappingProxyType(
    {each.name: each for family in RECORDED_FAMILIES.values() for each in family}
)
"""By name. Names begin with ``bedplate:``, which no exporter's does."""
