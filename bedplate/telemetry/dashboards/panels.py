"""The kinds of panels, each with what all of its kind have: size, unit, levels, legend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grafana_foundation_sdk.builders import (
    bargauge,
    common,
    stat,
    statetimeline,
    timeseries,
)
from grafana_foundation_sdk.builders.dashboard import DashboardLink, FieldColor
from grafana_foundation_sdk.models.common import (
    BarGaugeDisplayMode,
    BigValueColorMode,
    BigValueGraphMode,
    BigValueTextMode,
    GraphThresholdsStyleMode,
    LegendDisplayMode,
    LegendPlacement,
    SortOrder,
    StackingMode,
    TooltipDisplayMode,
    VisibilityMode,
    VizOrientation,
)
from grafana_foundation_sdk.models.dashboard import (
    DataSourceRef,
    FieldColorModeId,
    ValueMap,
    ValueMappingResult,
)

from bedplate.telemetry.dashboards.levels import PLAIN, Levels
from bedplate.telemetry.dashboards.queries import Query
from bedplate.telemetry.dashboards.units import COUNT

FIGURE_HEIGHT, CHART_HEIGHT = 3, 8
LETTERS = "ABCDEFGHIJKLMNOP"


def figure(
    title: str,
    about: str,
    *queries: Query,
    unit: str = COUNT,
    levels: Levels = PLAIN,
    width: int = 4,
    decimals: int | None = None,
    words: Mapping[str, str] | None = None,
    shown_by_name: bool = False,
) -> stat.Panel:
    """One large figure, coloured by its levels. ``words`` are shown for values; ``shown_by_name`` shows the
    legend in place of the value.
    """
    made = (
        stat.Panel()
        .title(title)
        .description(about)
        .span(width)
        .height(FIGURE_HEIGHT)
        .unit(unit)
        .thresholds(levels.build())
        .graph_mode(BigValueGraphMode.NONE)
        .color_mode(BigValueColorMode.VALUE)
        .text_mode(BigValueTextMode.NAME if shown_by_name else BigValueTextMode.VALUE)
        .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]))
        .no_value("–")
    )
    if decimals is not None:
        made = made.decimals(decimals)
    if words:
        made = made.mappings([_words(words)])
    for query in lettered(queries):
        made = made.with_target(query)
    return made.datasource(source_of(queries))


def lines(
    title: str,
    about: str,
    *queries: Query,
    unit: str = COUNT,
    levels: Levels | None = None,
    width: int = 12,
    height: int = CHART_HEIGHT,
    stacked: bool = False,
    top: float | None = None,
    names_only: bool = False,
    link: DashboardLink | None = None,
) -> timeseries.Panel:
    """Lines over time. ``levels`` are drawn across as lines of their colours; ``top`` is the scale's end.

    ``names_only`` has the lines' names beside each other below, for many short ones.
    """
    legend = (
        common.VizLegendOptions()
        .show_legend(show_legend=True)
        .display_mode(LegendDisplayMode.LIST if names_only else LegendDisplayMode.TABLE)
        .placement(LegendPlacement.RIGHT if width >= COLUMNS_FOR_A_TABLE else LegendPlacement.BOTTOM)
    )
    if not names_only:
        legend = legend.calcs(["lastNotNull", "max"]).sort_by("Last *").sort_desc(sort_desc=True)
    made = (
        timeseries.Panel()
        .title(title)
        .description(about)
        .span(width)
        .height(height)
        .unit(unit)
        .min(0)
        .line_width(1)
        .fill_opacity(30 if stacked else 5)
        .show_points(VisibilityMode.NEVER)
        .legend(legend)
        .tooltip(common.VizTooltipOptions().mode(TooltipDisplayMode.MULTI).sort(SortOrder.DESCENDING))
    )
    if stacked:
        made = made.stacking(common.StackingConfig().mode(StackingMode.NORMAL).group("A"))
    if levels is not None:
        style = common.GraphThresholdsStyleConfig().mode(GraphThresholdsStyleMode.LINE)
        made = made.thresholds(levels.build()).thresholds_style(style)
    if top is not None:
        made = made.max(top)
    if link is not None:
        made = made.data_links([link])
    for query in lettered(queries):
        made = made.with_target(query)
    return made.datasource(source_of(queries))


COLUMNS_FOR_A_TABLE = 12
"""From this width on a legend stands beside the lines."""


def bars(
    title: str,
    about: str,
    *queries: Query,
    unit: str = COUNT,
    levels: Levels = PLAIN,
    width: int = 12,
    height: int = CHART_HEIGHT,
    top: float | None = None,
    link: DashboardLink | None = None,
) -> bargauge.Panel:
    """A bar a series, as it is now: for the worst few."""
    made = (
        bargauge.Panel()
        .title(title)
        .description(about)
        .span(width)
        .height(height)
        .unit(unit)
        .min(0)
        .thresholds(levels.build())
        .display_mode(BarGaugeDisplayMode.BASIC)
        .orientation(VizOrientation.HORIZONTAL)
        .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]))
        .no_value("none")
    )
    if top is not None:
        made = made.max(top)
    if link is not None:
        made = made.data_links([link])
    for query in lettered(queries):
        made = made.with_target(query)
    return made.datasource(source_of(queries))


def states(
    title: str,
    about: str,
    *queries: Query,
    words: Mapping[str, tuple[str, str]],
    unit: str = COUNT,
    width: int = 12,
    height: int = CHART_HEIGHT,
) -> statetimeline.Panel:
    """A band a series, coloured by its value. ``words`` is value → (word, colour)."""
    made = (
        statetimeline.Panel()
        .title(title)
        .description(about)
        .span(width)
        .height(height)
        .unit(unit)
        .mappings(
            [
                ValueMap(
                    options={
                        value: ValueMappingResult(text=word, color=colour, index=index)
                        for index, (value, (word, colour)) in enumerate(words.items())
                    }
                )
            ]
        )
        .color_scheme(FieldColor().mode(FieldColorModeId.THRESHOLDS))
        .merge_values(merge_values=True)
        .show_value(VisibilityMode.NEVER)
        .row_height(0.8)
        .fill_opacity(80)
        .legend(
            common.VizLegendOptions()
            .show_legend(show_legend=True)
            .display_mode(LegendDisplayMode.LIST)
            .placement(LegendPlacement.BOTTOM)
        )
        .thresholds(PLAIN.build())
    )
    for query in lettered(queries):
        made = made.with_target(query)
    return made.datasource(source_of(queries))


def _words(words: Mapping[str, str]) -> ValueMap:
    return ValueMap(
        options={
            value: ValueMappingResult(text=word, index=index)
            for index, (value, word) in enumerate(words.items())
        }
    )


def lettered(queries: Sequence[Query]) -> list[Query]:
    """The queries with the letters by which Grafana tells a panel's apart."""
    return [query.ref_id(letter) for query, letter in zip(queries, LETTERS, strict=False)]


def source_of(queries: Sequence[Query]) -> DataSourceRef:
    """The one source of a panel's queries. Raises ``ValueError`` where they have several."""
    found = {source.uid: source for query in queries if (source := query.build().datasource) is not None}
    if len(found) != 1:
        raise ValueError(f"a panel has one data source, not {len(found)}")
    (source,) = found.values()
    return source
