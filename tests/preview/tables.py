"""A table panel as HTML: rows that meet by their labels, columns in order, levels as colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from tests.preview.answers import Series
from tests.preview.words import figure_text

_ROW = 26


def table_html(panel: Mapping[str, Any], series: Sequence[Series], width: float, height: float) -> str:
    """As Grafana merges and organises it, cut where its panel ends."""
    (organized,) = (each["options"] for each in panel["transformations"] if each["id"] == "organize")
    renamed, hidden = organized["renameByName"], organized["excludeByName"]
    several = len(panel["targets"]) > 1
    rows: dict[tuple[tuple[str, str], ...], dict[str, Any]] = {}
    for each in series:
        labels = {name: value for name, value in each.labels.items() if name not in hidden}
        row = rows.setdefault(tuple(sorted(labels.items())), dict(labels))
        row[f"Value #{each.ref_id}" if several else "Value"] = each.last
    columns = [
        name
        for name in sorted(renamed, key=organized["indexByName"].__getitem__)
        if any(name in row for row in rows.values())
    ]
    looks = {
        each["matcher"]["options"]: {one["id"]: one["value"] for one in each["properties"]}
        for each in panel["fieldConfig"]["overrides"]
    }
    ordered = list(rows.values())
    for sort in panel["options"].get("sortBy", ()):
        key = next(name for name, text in renamed.items() if text == sort["displayName"])
        ordered.sort(key=lambda row: _order(row.get(key)), reverse=sort["desc"])
    head = "".join(f"<th>{escape(renamed[name])}</th>" for name in columns)
    body = "".join(
        "<tr>" + "".join(_cell(row.get(name), looks.get(renamed[name], {})) for name in columns) + "</tr>"
        for row in ordered
    )
    shown = max(1, int(height / _ROW) - 1)
    more = f'<div class="more">{len(ordered) - shown} more below</div>' if len(ordered) > shown else ""
    table = f'<table class="rows"><tr>{head}</tr>{body}</table>'
    return f'<div class="cut" style="height:{height:.0f}px">{table}</div>{more}'


def _order(value: Any) -> tuple[float, str]:
    """Figures by size, words by letters, what is missing first."""
    if isinstance(value, str):
        return (0.0, value)
    return (float("-inf") if value is None else value, "")


def _cell(value: Any, look: Mapping[str, Any]) -> str:
    from tests.preview.drawn import NAMED, colour_of

    if value is None:
        return "<td>–</td>"
    if isinstance(value, str):
        colour = "#6E9FFF" if "links" in look else NAMED["text"]
        return f'<td style="color:{colour}">{escape(value)}</td>'
    colour = colour_of(value, {"thresholds": look["thresholds"]}) if "thresholds" in look else NAMED["text"]
    text = figure_text(value, look.get("unit", "short"), look.get("decimals"))
    return f'<td class="n" style="color:{colour}">{text}</td>'
