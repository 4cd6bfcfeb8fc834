"""A whole dashboard as one HTML page, 1440 wide, by the places that its panels have."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from bedplate.telemetry.dashboards.asked import values_on
from bedplate.telemetry.dashboards.sources import PROMETHEUS_UID
from tests.preview.answers import Source
from tests.preview.drawn import panel_html

WIDTH = 1440
_CELL, _GAP, _TITLE = 30, 8, 30
_STYLE = """
body{margin:0;background:#111217;color:#ccccdc;font:12px Inter,'DejaVu Sans',sans-serif;width:1440px}
header{padding:8px 16px;font-size:16px;height:60px;box-sizing:border-box}
header small{display:block;font-size:12px;color:#8e8e9a;margin-top:4px}
main{position:relative}
section{position:absolute;background:#181b1f;border:1px solid #2c3235;border-radius:2px;overflow:hidden}
section h3{font-size:13px;font-weight:500;margin:0;padding:7px 8px;white-space:nowrap;overflow:hidden;
text-overflow:ellipsis;height:16px}
section>div.body{padding:0 8px;position:relative}
h2{position:absolute;margin:0;font-size:14px;font-weight:500;padding:6px 8px}
svg text{fill:#8e8e9a;font-size:10.5px}
.stat{text-align:center;font-weight:500;line-height:1.3;white-space:nowrap}
.none{color:#8e8e9a;text-align:center;padding-top:18px}
table{border-collapse:collapse;width:100%}
div.legend{font-size:11px;color:#aeb0b8}
.legend td,.legend th{padding:0 4px;height:18px;font-size:11px;white-space:nowrap;text-align:right;
color:#aeb0b8;font-weight:400}
.legend td:first-child{text-align:left;max-width:330px;overflow:hidden;text-overflow:ellipsis}
.legend i,i{display:inline-block;width:12px;height:3px;margin-right:5px;vertical-align:middle}
.rows th{text-align:left;color:#6e9fff;font-weight:500;padding:0 6px;height:25px;white-space:nowrap}
.rows td{padding:0 6px;height:25px;border-top:1px solid #24272b;white-space:nowrap}
.flow{display:flex;flex-wrap:wrap}
.cut{overflow:hidden}
.more{position:absolute;right:10px;bottom:2px;background:#181b1f;color:#8e8e9a}
.bar{display:flex;align-items:center;margin-bottom:4px}
.bar span{width:150px;overflow:hidden;white-space:nowrap;text-overflow:ellipsis;flex:none}
.bar b{height:70%;min-width:1px}.bar em{font-style:normal;margin-left:6px;white-space:nowrap}
"""


def page_html(model: Mapping[str, Any], *, source: Source, values: Mapping[str, str], note: str) -> str:
    """The page; ``note`` says where its figures are from."""
    given = values_on(model, values)
    parts, height = [], 0
    unit = WIDTH / 24
    for panel in model["panels"]:
        place = panel["gridPos"]
        left, top = place["x"] * unit + _GAP / 2, place["y"] * (_CELL + _GAP)
        width, tall = place["w"] * unit - _GAP, place["h"] * (_CELL + _GAP) - _GAP
        height = max(height, top + tall)
        if panel["type"] == "row":
            parts.append(f'<h2 style="left:{left}px;top:{top}px">⌄ {escape(panel["title"])}</h2>')
            continue
        asked = panel["datasource"]["uid"] == PROMETHEUS_UID
        series = source.series(panel, given) if asked else None
        body = panel_html(panel, series, width - 18, tall - _TITLE - 6)
        parts.append(
            f'<section style="left:{left:.0f}px;top:{top}px;width:{width:.0f}px;height:{tall}px">'
            f'<h3>{escape(panel["title"])}</h3><div class="body">{body}</div></section>'
        )
    shown = " · ".join(
        f"{each.get('label') or each['name']}: {given.get(each['name'], '–')}"
        for each in model["templating"]["list"]
    )
    return (
        f"<!doctype html><meta charset='utf-8'><title>{escape(model['title'])}</title><style>{_STYLE}</style>"
        f"<header>{escape(model['title'])} <span style='color:#F2CC0C;font-size:12px'>{escape(note)}</span>"
        f"<small>{escape(shown)}</small></header><main style='height:{height + 10}px'>{''.join(parts)}</main>"
    )
