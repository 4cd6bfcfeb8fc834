"""A panel as HTML, in the manner of Grafana's dark theme: near enough to judge sizes, words and legends."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from tests.preview.answers import Series
from tests.preview.tables import table_html
from tests.preview.words import figure_text

COLOURS = (
    "#73BF69",
    "#F2CC0C",
    "#8AB8FF",
    "#FF780A",
    "#F2495C",
    "#5794F2",
    "#B877D9",
    "#705DA0",
    "#37872D",
    "#FADE2A",
    "#96D98D",
    "#FFB357",
)
NAMED = {"green": "#73BF69", "orange": "#FF9830", "red": "#F2495C", "text": "#CCCCDC"}
_LEGEND_ROW = 18


def panel_html(panel: Mapping[str, Any], series: Sequence[Series] | None, width: float, height: float) -> str:
    """The panel's body; ``None`` stands for a source that cannot be asked here."""
    if series is None:
        return '<div class="none">CloudWatch: not asked in a preview</div>'
    if not series:
        return f'<div class="none">{escape(str(_defaults(panel).get("noValue", "No data")))}</div>'
    draw: dict[str, Callable[..., str]] = {
        "stat": _stat,
        "timeseries": _lines,
        "bargauge": _bars,
        "state-timeline": _states,
        "table": table_html,
    }
    return draw[panel["type"]](panel, series, width, height)


def _defaults(panel: Mapping[str, Any]) -> Mapping[str, Any]:
    defaults: Mapping[str, Any] = panel["fieldConfig"]["defaults"]
    return defaults


def colour_of(value: float, defaults: Mapping[str, Any]) -> str:
    """The colour that thresholds give."""
    chosen = "text"
    for step in defaults.get("thresholds", {}).get("steps", ()):
        if step["value"] is None or value >= step["value"]:
            chosen = step["color"]
    return NAMED[chosen]


def _text(panel: Mapping[str, Any], value: float) -> str:
    defaults = _defaults(panel)
    for mapping in defaults.get("mappings", ()):
        shown = mapping["options"].get(f"{value:g}")
        if shown:
            return str(shown["text"])
    return figure_text(value, defaults.get("unit", "short"), defaults.get("decimals"))


def _stat(panel: Mapping[str, Any], series: Sequence[Series], width: float, height: float) -> str:
    by_name = panel["options"]["textMode"] == "name"
    shown = [each.legend if by_name else _text(panel, each.last) for each in series]
    size = min(height * 0.55, width / max(1, max(map(len, shown))) * 1.5, 44) / max(1, len(shown)) ** 0.5
    return "".join(
        f'<div class="stat" style="font-size:{size:.0f}px;color:{colour_of(each.last, _defaults(panel))}">'
        f"{escape(text)}</div>"
        for each, text in zip(series, shown, strict=True)
    )


def _lines(panel: Mapping[str, Any], series: Sequence[Series], width: float, height: float) -> str:
    if panel["options"]["legend"]["displayMode"] == "list":
        return _chart(panel, series, width, height - 20) + _names(series)
    beside = panel["options"]["legend"]["placement"] == "right"
    across = width * 0.6 if beside else width
    below = 0 if beside else min(height * 0.4, _LEGEND_ROW * (len(series) + 1))
    drawn = _chart(panel, series, across, height - below)
    rows = sorted(enumerate(series), key=lambda each: -_number(each[1].last))
    legend = "".join(
        f'<tr><td><i style="background:{COLOURS[index % len(COLOURS)]}"></i>{escape(each.legend)}</td>'
        f"<td>{_text(panel, each.last)}</td><td>{_text(panel, max(v for _, v in each.points))}</td></tr>"
        for index, each in rows
    )
    table = f'<table class="legend"><tr><th></th><th>Last</th><th>Max</th></tr>{legend}</table>'
    where = f"width:{width - across:.0f}px;height:{height:.0f}px" if beside else f"height:{below:.0f}px"
    return f'<div class="flow">{drawn}<div style="overflow:hidden;{where}">{table}</div></div>'


def _names(series: Sequence[Series]) -> str:
    return (
        '<div class="legend">'
        + " ".join(
            f'<i style="background:{COLOURS[index % len(COLOURS)]}"></i>{escape(each.legend)}'
            for index, each in enumerate(series)
        )
        + "</div>"
    )


def _number(value: float) -> float:
    return -math.inf if math.isnan(value) else value


def _chart(panel: Mapping[str, Any], series: Sequence[Series], width: float, height: float) -> str:
    defaults = _defaults(panel)
    stacked = defaults["custom"].get("stacking", {}).get("mode") == "normal"
    tops = _stacks(series) if stacked else {id(each): dict(each.points) for each in series}
    highest = max((v for line in tops.values() for v in line.values() if not math.isnan(v)), default=1) or 1
    top = defaults.get("max", highest * 1.08)
    first = min(each.points[0][0] for each in series)
    last = max(each.points[-1][0] for each in series)
    left, bottom = 62, 16

    def x(at: float) -> float:
        return left + (at - first) / max(last - first, 1) * (width - left - 6)

    def y(value: float) -> float:
        return 4 + (1 - min(max(value / top, 0), 1.02)) * (height - bottom - 8)

    parts = []
    for tick in _ticks(top):
        at = y(tick)
        parts.append(f'<line x1="{left}" x2="{width - 6}" y1="{at:.1f}" y2="{at:.1f}" stroke="#2c3235"/>')
        text = escape(_text(panel, tick))
        parts.append(f'<text x="{left - 5}" y="{at + 4:.1f}" text-anchor="end">{text}</text>')
    for step in defaults.get("thresholds", {}).get("steps", ()):
        if step["value"] is not None and step["value"] <= top and "thresholdsStyle" in defaults["custom"]:
            parts.append(
                f'<line x1="{left}" x2="{width - 6}" y1="{y(step["value"]):.1f}" y2="{y(step["value"]):.1f}" '
                f'stroke="{NAMED[step["color"]]}" stroke-width="1.5"/>'
            )
    for index, each in enumerate(series):
        colour = COLOURS[index % len(COLOURS)]
        points = " ".join(f"{x(at):.1f},{y(v):.1f}" for at, v in tops[id(each)].items() if not math.isnan(v))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.3"/>')
    return f'<svg width="{width:.0f}" height="{height:.0f}">{"".join(parts)}</svg>'


def _ticks(top: float) -> list[float]:
    """Round figures up to the top, four or so."""
    rough = top / 4
    size = 10 ** math.floor(math.log10(rough))
    step = next(size * each for each in (1, 2, 2.5, 5, 10) if size * each >= rough)
    return [step * count for count in range(int(top / step) + 1)]


def _stacks(series: Sequence[Series]) -> dict[int, dict[float, float]]:
    below: dict[float, float] = {}
    tops = {}
    for each in series:
        below = {**below, **{at: below.get(at, 0.0) + value for at, value in each.points}}
        tops[id(each)] = {at: below[at] for at, _ in each.points}
    return tops


def _bars(panel: Mapping[str, Any], series: Sequence[Series], width: float, height: float) -> str:
    defaults = _defaults(panel)
    top = defaults.get("max") or max(each.last for each in series) or 1
    each_height = min(28.0, height / len(series))
    return "".join(
        f'<div class="bar" style="height:{each_height - 4:.0f}px"><span>{escape(each.legend)}</span>'
        f'<b style="width:{each.last / top * (width - 230):.0f}px;'
        f'background:{colour_of(each.last, defaults)}"></b>'
        f'<em style="color:{colour_of(each.last, defaults)}">{escape(_text(panel, each.last))}</em></div>'
        for each in series
    )


def _states(panel: Mapping[str, Any], series: Sequence[Series], width: float, height: float) -> str:
    words = _defaults(panel)["mappings"][0]["options"]
    row = min(34.0, (height - 22) / len(series))
    first = min(each.points[0][0] for each in series)
    last = max(each.points[-1][0] for each in series)
    scale = (width - 176) / max(last - first, 1)
    parts = []
    for index, each in enumerate(series):
        parts.append(f'<text x="0" y="{index * row + row / 2 + 4:.1f}">{escape(each.legend)}</text>')
        for (at, value), (until, _) in zip(each.points, [*each.points[1:], each.points[-1]], strict=True):
            parts.append(
                f'<rect x="{170 + (at - first) * scale:.1f}" y="{index * row:.1f}" height="{row * 0.8:.1f}" '
                f'width="{(until - at) * scale + 0.5:.1f}" '
                f'fill="{NAMED[words[f"{value:g}"]["color"]]}"/>'
            )
    legend = " ".join(f'<i style="background:{NAMED[w["color"]]}"></i>{w["text"]} ' for w in words.values())
    drawn = f'<svg width="{width:.0f}" height="{height - 22:.0f}">{"".join(parts)}</svg>'
    return f'{drawn}<div class="legend">{legend}</div>'
