"""The plot of the engine's cost, as an SVG that is the same for the same figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.bench.engine.measure import Cost

_PANELS = (
    ("processor ms for each node", lambda cost: cost.processor_ms_per_node),
    ("peak KiB for each node", lambda cost: cost.peak_kib_per_node),
    ("calls to AWS for each node", lambda cost: cost.calls_per_node),
)


def draw(path: Path, costs: Sequence[Cost]) -> None:
    """Three panels, each a cost for each node over the nodes: level is linear, falling is better."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "bedplate"
    mpl.rcParams["svg.fonttype"] = "none"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(_PANELS), figsize=(11, 3.2), constrained_layout=True)
    sizes = [cost.nodes for cost in costs]
    for axis, (title, of) in zip(axes, _PANELS, strict=True):
        values = [of(cost) for cost in costs]
        axis.plot(sizes, values, marker="o", color="#1f5fa8")
        axis.set_xscale("log", base=2)
        axis.set_xticks(sizes, [str(size) for size in sizes], fontsize=8)
        axis.set_ylim(bottom=0, top=1.25 * max(values))
        axis.set_title(title, fontsize=10)
        axis.set_xlabel("nodes (SIMULATED)", fontsize=9)
        axis.grid(visible=True, alpha=0.3)
    figure.savefig(path, format="svg", metadata={"Date": None, "Creator": "make bench-engine"})
    pyplot.close(figure)
