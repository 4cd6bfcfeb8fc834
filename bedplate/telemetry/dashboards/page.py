"""A dashboard of rows of panels: places them, numbers them, and gives Grafana's JSON model as a mapping."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grafana_foundation_sdk.builders import bargauge, stat, statetimeline, table, timeseries
from grafana_foundation_sdk.builders.dashboard import Dashboard, Row
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import dashboard as models

from bedplate.telemetry.dashboards.links import TAG, to_siblings
from bedplate.telemetry.dashboards.variables import Variable

COLUMNS = 24
_HEADING = 1


Panel = bargauge.Panel | stat.Panel | statetimeline.Panel | table.Panel | timeseries.Panel
"""The builder of a panel of any kind."""


@dataclass(frozen=True, kw_only=True)
class Band:
    """A titled row; ``lines`` are lines of panels beside each other, each line as high as its first panel."""

    title: str
    lines: Sequence[Sequence[Panel]]


@dataclass(frozen=True, kw_only=True)
class Page:
    """``since`` is the time that it shows at first, as Grafana writes it: ``now-6h``."""

    uid: str
    title: str
    description: str
    variables: Sequence[Variable]
    bands: Sequence[Band]
    since: str = "now-6h"

    def model(self) -> dict[str, Any]:
        """Grafana's JSON model; the same each time. Raises ``ValueError`` where a line is not full."""
        made = (
            Dashboard(f"Bedplate: {self.title}")
            .uid(self.uid)
            .description(self.description)
            .tags([TAG])
            .timezone("browser")
            .time(self.since, "now")
            .refresh("1m")
            .tooltip(models.DashboardCursorSync.CROSSHAIR)
            .link(to_siblings())
        )
        for variable in self.variables:
            made = made.with_variable(variable)
        top, number = 0, 1
        for band in self.bands:
            heading = _place(x=0, y=top, w=COLUMNS, h=_HEADING)
            made = made.with_row(Row(band.title).id(number).grid_pos(heading))
            top, number = top + _HEADING, number + 1
            for line in band.lines:
                left, height = 0, 0
                for panel in line:
                    size = panel.build().grid_pos or models.GridPos()
                    made = made.with_panel(
                        panel.id(number).grid_pos(_place(x=left, y=top, w=size.w, h=size.h))
                    )
                    left, height, number = left + size.w, max(height, size.h), number + 1
                if left != COLUMNS:
                    raise ValueError(
                        f"{self.uid}: {band.title}: a line is {left} columns wide, not {COLUMNS}"
                    )
                top += height
        model: dict[str, Any] = json.loads(JSONEncoder(sort_keys=True).encode(made.build()))
        return model


def _place(*, x: int, y: int, w: int, h: int) -> models.GridPos:
    return models.GridPos(x=x, y=y, w=w, h=h)
