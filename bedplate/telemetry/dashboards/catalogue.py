"""All dashboards, by uid. Whatever provisions Grafana takes them from here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from bedplate.telemetry.dashboards.fleet import fleet
from bedplate.telemetry.dashboards.job import job
from bedplate.telemetry.dashboards.node import node
from bedplate.telemetry.dashboards.page import Page

_PAGES: tuple[Callable[[], Page], ...] = (fleet, node, job)
"""In the order in which people meet them."""


@cache
def all_dashboards() -> Mapping[str, dict[str, Any]]:
    """Uid → Grafana's JSON model, sorted by uid; the same each time. Not to be changed."""
    made = {page.uid: page.model() for page in (make() for make in _PAGES)}
    return MappingProxyType(dict(sorted(made.items())))
