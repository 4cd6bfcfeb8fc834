"""One alarm of CloudWatch as data: what is measured, from when on it rings, what it means, what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from bedplate.telemetry.alerts.alert import Severity

Statistic = Literal["Average", "Maximum", "Minimum", "Sum"]
RUNBOOK = "docs/alarms.md"
"""The page that has a heading for each alarm."""


@dataclass(frozen=True, kw_only=True)
class CloudWatchAlarm:
    """An alarm on one metric of one resource.

    ``dimension`` is the dimension that names the resource, ``also`` others with a fixed value. ``by_query``
    takes every series of the metric that has these dimensions, whatever others it has, such as each server of
    a file system; ``share_of`` makes it a percentage of another metric. The alarm rings when each of
    ``periods`` in a row is at least ``threshold``, or below it. ``missing`` is what no data means.
    """

    name: str
    namespace: str
    metric: str
    statistic: Statistic
    dimension: str
    threshold: float
    period_seconds: int
    periods: int
    severity: Severity
    meaning: str
    action: str
    rings: Literal["at-least", "below"] = "at-least"
    also: Mapping[str, str] = field(default_factory=dict)
    by_query: bool = False
    share_of: str | None = None
    missing: Literal["well", "unwell"] = "well"

    @property
    def runbook(self) -> str:
        """Where the page on it is."""
        return f"{RUNBOOK}#{self.name.lower()}"

    def description(self, what: str) -> str:
        """What people read; ``what`` is the resource in their words."""
        return f"[{self.severity}] {what}: {self.meaning} Do: {self.action} See {self.runbook}."
