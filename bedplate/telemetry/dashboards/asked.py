"""Every query of every dashboard, with values in place of the variables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bedplate.telemetry.dashboards.catalogue import all_dashboards
from bedplate.telemetry.dashboards.sources import PROMETHEUS_UID

_VARIABLE = re.compile(r"\$(?:\{(\w+)(?::\w+)?\}|(\w+))")
ANY = ".*"

DEFAULTS: Mapping[str, str] = {
    "pool": ANY,
    "node": ANY,
    "price": "1",
    "__rate_interval": "5m",
    "__interval": "1m",
    "__range": "6h",
}
"""Values where a caller gives none; the other variables are of an environment and must be given."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One PromQL query. ``instant`` is whether the panel shows one moment alone."""

    dashboard: str
    panel: str
    ref_id: str
    expression: str
    instant: bool


def all_queries(values: Mapping[str, str]) -> tuple[Asked, ...]:
    """Every PromQL query of every panel, in the dashboards' order, with ``values`` for its variables.

    Raises ``KeyError`` for a variable that neither ``values`` nor ``DEFAULTS`` has.
    """
    return tuple(
        Asked(
            dashboard=uid,
            panel=panel["title"],
            ref_id=target["refId"],
            expression=substituted(target["expr"], values),
            instant=bool(target.get("instant")),
        )
        for uid, model in all_dashboards().items()
        for panel in panels_of(model)
        for target in panel.get("targets", ())
        if target["datasource"]["uid"] == PROMETHEUS_UID
    )


def panels_of(model: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The panels of a dashboard, without the headings of rows."""
    return (panel for panel in model["panels"] if panel["type"] != "row")


def substituted(expression: str, values: Mapping[str, str]) -> str:
    """The expression with values for ``$name`` and ``${name}``."""
    given = {**DEFAULTS, **values}
    return _VARIABLE.sub(lambda match: given[match[1] or match[2]], expression)


def variables_in(text: str) -> set[str]:
    """The names of the variables that a text uses, Grafana's own (``__range``) among them."""
    return {match[1] or match[2] for match in _VARIABLE.finditer(text)}
