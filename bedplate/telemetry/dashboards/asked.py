"""Every query of every dashboard, with values in place of the variables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bedplate.telemetry.dashboards.catalogue import all_dashboards
from bedplate.telemetry.dashboards.sources import PROMETHEUS_UID

_VARIABLE = re.compile(r"\$(?:\{(\w+)(?::\w+)?\}|(\w+))")
BUILT_IN: Mapping[str, str] = {"__rate_interval": "5m", "__interval": "1m", "__range": "6h"}
"""Grafana's own variables, with what it puts there at a scrape each minute and a page of six hours."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One PromQL query. ``instant`` is whether the panel shows one moment alone."""

    dashboard: str
    panel: str
    ref_id: str
    expression: str
    instant: bool


def all_queries(values: Mapping[str, str]) -> tuple[Asked, ...]:
    """Every PromQL query of every panel, in the dashboards' order.

    ``values`` are those of the variables that take one: environment, node, job. Those that can be all are
    all. Raises ``KeyError`` for a variable without a value.
    """
    return tuple(
        Asked(
            dashboard=uid,
            panel=panel["title"],
            ref_id=target["refId"],
            expression=substituted(target["expr"], values_on(model, values)),
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


def values_on(model: Mapping[str, Any], values: Mapping[str, str]) -> dict[str, str]:
    """Variable → value on one dashboard: all where it can be all, its own where it has one, else yours."""
    given = {**BUILT_IN, **values}
    for variable in model["templating"]["list"]:
        if variable.get("includeAll"):
            given[variable["name"]] = variable["allValue"]
        elif variable["type"] == "textbox":
            given[variable["name"]] = variable["current"]["value"]
    return given


def substituted(expression: str, values: Mapping[str, str]) -> str:
    """The expression with values for ``$name`` and ``${name}``."""
    return _VARIABLE.sub(lambda match: values[match[1] or match[2]], expression)


def variables_in(text: str) -> set[str]:
    """The names of the variables that a text uses, Grafana's own (``__range``) among them."""
    return {match[1] or match[2] for match in _VARIABLE.finditer(text)}
