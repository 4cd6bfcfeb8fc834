"""What a Prometheus answers to a panel's queries."""

from __future__ import annotations

import json
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bedplate.telemetry.dashboards.asked import substituted

_POINTS = 240


@dataclass(frozen=True)
class Series:
    """One line: its labels and (time, value) in order; of an instant query, one point."""

    ref_id: str
    legend: str
    labels: Mapping[str, str]
    points: tuple[tuple[float, float], ...]

    @property
    def last(self) -> float:
        """The newest value."""
        return self.points[-1][1]


@dataclass(frozen=True)
class Source:
    """Where to ask, and for which time."""

    url: str
    end: float
    hours: float

    def series(self, panel: Mapping[str, Any], values: Mapping[str, str]) -> list[Series]:
        """The answers to all queries of a panel."""
        return [each for target in panel["targets"] for each in self._answer(target, values)]

    def _answer(self, target: Mapping[str, Any], values: Mapping[str, str]) -> list[Series]:
        expression = substituted(target["expr"], values)
        return [
            Series(
                ref_id=target["refId"],
                legend=_legend(target.get("legendFormat", ""), each["metric"]),
                labels=each["metric"],
                points=tuple((float(at), float(v)) for at, v in each.get("values", [each.get("value")])),
            )
            for each in self.ask(expression, instant=bool(target.get("instant")))
        ]

    def ask(self, expression: str, *, instant: bool) -> list[dict[str, Any]]:
        """The series as Prometheus tells them."""
        query = {"query": expression}
        if instant:
            path, query = "query", {**query, "time": f"{self.end}"}
        else:
            step = max(60, int(self.hours * 3600 / _POINTS))
            path = "query_range"
            query |= {"start": f"{self.end - self.hours * 3600}", "end": f"{self.end}", "step": f"{step}"}
        with urllib.request.urlopen(f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(query)}") as answer:
            found = json.load(answer)["data"]
        if found["resultType"] == "scalar":
            return [{"metric": {}, "value": found["result"]}]
        series: list[dict[str, Any]] = found["result"]
        return series


def _legend(pattern: str, labels: Mapping[str, str]) -> str:
    if pattern in ("", "__auto"):
        return ", ".join(f"{name}={value}" for name, value in sorted(labels.items())) or "Value"
    for name, value in labels.items():
        pattern = pattern.replace("{{" + name + "}}", value)
    return pattern
