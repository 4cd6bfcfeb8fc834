"""A table: a row for each node, GPU or job, and a column for each figure of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grafana_foundation_sdk.builders import common, table
from grafana_foundation_sdk.builders.dashboard import DashboardLink
from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.models.common import TableCellHeight
from grafana_foundation_sdk.models.dashboard import DataTransformerConfig, DynamicConfigValue

from bedplate.telemetry.dashboards.levels import Levels
from bedplate.telemetry.dashboards.panels import CHART_HEIGHT, LETTERS
from bedplate.telemetry.dashboards.queries import rows
from bedplate.telemetry.dashboards.sources import prometheus_source
from bedplate.telemetry.dashboards.units import COUNT

_UNWANTED = ("Time", "__name__", "environment", "cluster", "job", "instance", "zone")
_COLOURED_TEXT = {"type": "color-text"}


@dataclass(frozen=True, kw_only=True)
class Column:
    """A figure of each row. ``expression`` has the row's labels and no others, so that columns meet.

    One without a title is not shown: the row's labels say it all.
    """

    title: str
    expression: str
    unit: str = COUNT
    levels: Levels | None = None
    decimals: int | None = None


def listing(
    title: str,
    about: str,
    *columns: Column,
    labels: Sequence[tuple[str, str]],
    links: dict[str, DashboardLink] | None = None,
    sort_by: str = "",
    smallest_first: bool = False,
    width: int = 24,
    height: int = CHART_HEIGHT,
) -> table.Panel:
    """``labels`` are the row's, each with its column's title; ``links`` lead from a label's column on.

    ``sort_by`` is a column's title; largest first where not ``smallest_first``.
    """
    letters = LETTERS[: len(columns)]
    named = dict(labels)
    value_of = (
        {letter: f"Value #{letter}" for letter in letters} if len(columns) > 1 else {letters[0]: "Value"}
    )
    titles = {value_of[letter]: each.title for letter, each in zip(letters, columns, strict=True)}
    renamed = {**named, **{value: text for value, text in titles.items() if text}}
    unwanted = {*_UNWANTED, *(value for value, text in titles.items() if not text)} - set(named)
    made = (
        table.Panel()
        .title(title)
        .description(about)
        .span(width)
        .height(height)
        .unit(COUNT)
        .datasource(prometheus_source())
        .no_value("none")
        .cell_height(TableCellHeight.SM)
        .filterable(filterable=True)
        .with_transformation(DataTransformerConfig(id_val="merge", options={}))
        .with_transformation(
            DataTransformerConfig(
                id_val="organize",
                options={
                    "excludeByName": dict.fromkeys(sorted(unwanted), True),
                    "indexByName": {name: index for index, name in enumerate(renamed)},
                    "renameByName": renamed,
                },
            )
        )
    )
    if sort_by:
        made = made.sort_by(
            [common.TableSortByFieldState().display_name(sort_by).desc(desc=not smallest_first)]
        )
    for letter, each in zip(letters, columns, strict=True):
        made = made.with_target(rows(each.expression).ref_id(letter))
        if each.title:
            made = made.override_by_name(each.title, _looks(each))
    for name, link in (links or {}).items():
        made = made.override_by_name(named[name], [DynamicConfigValue(id_val="links", value=_built([link]))])
    return made


def _looks(each: Column) -> list[DynamicConfigValue]:
    looks = [DynamicConfigValue(id_val="unit", value=each.unit)]
    if each.decimals is not None:
        looks.append(DynamicConfigValue(id_val="decimals", value=each.decimals))
    if each.levels is not None:
        looks.append(DynamicConfigValue(id_val="thresholds", value=each.levels.build().build()))
        looks.append(DynamicConfigValue(id_val="custom.cellOptions", value=_COLOURED_TEXT))
    return looks


def _built(links: Sequence[Builder[object]]) -> list[object]:
    return [link.build() for link in links]
