"""All dashboards, by uid. Whatever provisions Grafana takes them from here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from bedplate.telemetry.dashboards.capacity import capacity
from bedplate.telemetry.dashboards.efa import efa
from bedplate.telemetry.dashboards.fleet import fleet
from bedplate.telemetry.dashboards.gpu_health import gpu_health
from bedplate.telemetry.dashboards.job import job
from bedplate.telemetry.dashboards.lustre import lustre
from bedplate.telemetry.dashboards.node import node
from bedplate.telemetry.dashboards.page import Page
from bedplate.telemetry.dashboards.queues import queues
from bedplate.telemetry.dashboards.serving import serving
from bedplate.telemetry.dashboards.validation import validation

_PAGES: tuple[Callable[[], Page], ...] = (
    fleet,
    gpu_health,
    node,
    efa,
    lustre,
    queues,
    job,
    serving,
    validation,
    capacity,
)
"""In the order in which people meet them."""


@cache
def all_dashboards() -> Mapping[str, dict[str, Any]]:
    """Uid → Grafana's JSON model, sorted by uid; the same each time. Not to be changed."""
    made = {page.uid: page.model() for page in (make() for make in _PAGES)}
    return MappingProxyType(dict(sorted(made.items())))
