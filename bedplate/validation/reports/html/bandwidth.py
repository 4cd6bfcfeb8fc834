"""Measured against expected bandwidth: strips of dots on one scale, with the floor and the ceiling drawn in.

Positions are per cent of the scale, so that the page places the dots by itself at every width; dots that
would cover each other are stacked.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from bedplate.validation.reports.efa_traffic import efa_text
from bedplate.validation.reports.html.names import Names, NodeName, name_of
from bedplate.validation.reports.wording import number_text, size_text
from bedplate.validation.result import Bandwidth, RunResult

_SCOPES = {
    "in-node": "inside each node",
    "pair": "between pairs of nodes",
    "group": "over groups of nodes",
    "nvlink-domain": "over the nodes of one NVLink domain",
    "all-nodes": "over all nodes",
}
_STACK_PER_CENT = 1.3
_STRIP_PX = 110.0
_LABELS = 6
_LABEL_PER_CENT = 34.0
_LABEL_RIGHT_BELOW = 28.0
_TICKS = 5


@dataclass(frozen=True)
class Dot:
    """One measurement; ``level`` counts the dots under it.

    ``amiss`` where it is below its floor, or is of a group that failed the search between nodes.
    """

    x: float
    level: int
    value: str
    amiss: bool
    label: str
    nodes: tuple[NodeName, ...]

    @property
    def label_right(self) -> bool:
        """Whether the label stands right of the mark, since there is no room to its left."""
        return self.x < _LABEL_RIGHT_BELOW

    @property
    def span(self) -> tuple[float, float]:
        """From where to where mark and label reach, in per cent of the scale."""
        half = _STACK_PER_CENT / 2
        left = half + (_LABEL_PER_CENT if self.label and not self.label_right else 0)
        right = half + (_LABEL_PER_CENT if self.label and self.label_right else 0)
        return self.x - left, self.x + right


@dataclass(frozen=True)
class Strip:
    """One kind of measurement; positions of floor and ceiling are ``None`` where there is none."""

    title: str
    detail: str
    dots: tuple[Dot, ...]
    levels: int
    floor: float | None
    floor_text: str
    ceiling: float | None
    ceiling_text: str
    source: str
    summary: str
    efa: str

    @property
    def step_px(self) -> float:
        """The height of one level; many levels draw closer together, so that no strip fills the page."""
        return round(min(12.0, _STRIP_PX / self.levels), 2)


@dataclass(frozen=True)
class Plot:
    """All strips over one scale in GB/s."""

    strips: tuple[Strip, ...]
    ticks: tuple[tuple[float, str], ...]


def build_plot(result: RunResult, names: Names) -> Plot | None:
    """The plot of a run, or ``None`` where nothing was measured."""
    if not result.bandwidths:
        return None
    top = max(
        max(b.busbw_gb_per_s, b.floor_gb_per_s or 0, b.ceiling_gb_per_s or 0) for b in result.bandwidths
    )
    step = _nice_step(top)
    count = max(1, -int(-top // step))
    scale = step * count
    groups: dict[tuple[str, str, int, int, float | None, float | None], list[Bandwidth]] = {}
    for b in result.bandwidths:
        key = (b.scope, b.collective, b.ranks, b.size_bytes, b.floor_gb_per_s, b.ceiling_gb_per_s)
        groups.setdefault(key, []).append(b)
    order = list(_SCOPES)
    failed = {frozenset(r.groups[i]) for r in result.rounds for i in r.failed if i < len(r.groups)}
    strips = [
        _strip(group, scale, names, failed)
        for _, group in sorted(groups.items(), key=lambda g: order.index(g[0][0]))
    ]
    ticks = tuple((100 * i / count, number_text(step * i)) for i in range(count + 1))
    return Plot(tuple(strips), ticks)


def _nice_step(top: float) -> float:
    """The distance of ticks, 1, 2 or 5 times a power of ten, that makes about five of them."""
    rough = max(top, 1e-9) / _TICKS
    power = 1.0
    while power > rough:
        power /= 10
    while power * 10 <= rough:
        power *= 10
    return next((power * m for m in (1, 2, 5) if power * m >= rough), power * 10)


def _strip(group: list[Bandwidth], scale: float, names: Names, failed: set[frozenset[str]]) -> Strip:
    first = group[0]
    floor, ceiling = first.floor_gb_per_s, first.ceiling_gb_per_s
    dots = _dots(group, scale, names, failed)
    return Strip(
        title=f"{first.collective.replace('_', '-')} {_SCOPES[first.scope]}",
        detail=f"{size_text(first.size_bytes)}, {first.ranks} ranks",
        dots=dots,
        levels=1 + max(dot.level for dot in dots),
        floor=None if floor is None else 100 * floor / scale,
        floor_text="" if floor is None else number_text(floor),
        ceiling=None if ceiling is None else 100 * ceiling / scale,
        ceiling_text="" if ceiling is None else number_text(ceiling),
        source=first.source,
        summary=_summary(group, sum(dot.amiss for dot in dots), floor),
        efa=efa_text(group),
    )


def _summary(group: list[Bandwidth], amiss: int, floor: float | None) -> str:
    values = sorted(b.busbw_gb_per_s for b in group)
    low, high = number_text(values[0]), number_text(values[-1])
    spread = f"{low} GB/s" if low == high else f"{low} to {high} GB/s"
    runs = "1 run" if len(group) == 1 else f"{len(group)} runs"
    if floor is not None:
        bound = "the bound, which is relative only" if group[0].basis == "relative" else "the floor"
        return f"{runs}, {spread}; {amiss or 'none'} below {bound}"
    if group[0].scope == "pair":
        return (
            f"{runs}, {spread}, compared with each other; {amiss or 'none'} in groups that failed the search"
        )
    return f"{runs}, {spread}; no floor is sourced, so this proves nothing"


def _amiss(b: Bandwidth, failed: set[frozenset[str]]) -> bool:
    below = b.floor_gb_per_s is not None and b.busbw_gb_per_s < b.floor_gb_per_s
    return below or (b.scope == "pair" and frozenset(b.nodes) in failed)


def _dots(group: list[Bandwidth], scale: float, names: Names, failed: set[frozenset[str]]) -> tuple[Dot, ...]:
    placed: list[Dot] = []
    labels = 0
    for b in sorted(group, key=lambda b: b.busbw_gb_per_s):
        x = 100 * b.busbw_gb_per_s / scale
        amiss = _amiss(b, failed)
        nodes = tuple(name_of(node, names) for node in b.nodes)
        text = _label(nodes) if amiss and labels < _LABELS else ""
        labels += bool(text)
        dot = Dot(x, 0, number_text(b.busbw_gb_per_s), amiss, text, nodes)
        placed.append(replace(dot, level=_free_level(dot, placed)))
    return tuple(placed)


def _free_level(new: Dot, placed: Iterable[Dot]) -> int:
    """The lowest level on which neither the mark nor its label covers another."""
    low, high = new.span
    taken = {dot.level for dot in placed if dot.span[0] < high and low < dot.span[1]}
    return next(level for level in range(len(taken) + 1) if level not in taken)


def _label(nodes: tuple[NodeName, ...]) -> str:
    return " + ".join(node.short for node in nodes) if len(nodes) <= 2 else f"{len(nodes)} nodes"
