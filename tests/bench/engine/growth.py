"""How a cost grows with the nodes: the exponent of the power law that fits it best."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import mean

from tests.bench.engine.measure import Cost

LINEAR = 1.05
"""An exponent up to this is called linear: 3.5 % more with each doubling, less than a busy machine adds."""

LAST = 1.15
"""The bound between the two largest sizes, where fixed costs hide nothing; two runs are noisier than all."""

SERIES: Mapping[str, Callable[[Cost], float]] = {
    "processor time": lambda cost: cost.processor_s,
    "peak memory": lambda cost: cost.peak_mib,
    "calls to AWS": lambda cost: float(sum(cost.calls.values())),
}
"""What is held to grow no faster than the nodes; wall time is shown, and depends on what else runs."""


def exponent(costs: Sequence[Cost], of: Callable[[Cost], float]) -> float:
    """The slope of log(cost) over log(nodes) by least squares; needs two sizes or more."""
    xs = [math.log(cost.nodes) for cost in costs]
    ys = [math.log(max(of(cost), 1e-9)) for cost in costs]
    x0, y0 = mean(xs), mean(ys)
    return sum((x - x0) * (y - y0) for x, y in zip(xs, ys, strict=True)) / sum((x - x0) ** 2 for x in xs)


def exponents(costs: Sequence[Cost]) -> dict[str, float]:
    """Each series' exponent, rounded to hundredths."""
    return {name: round(exponent(costs, of), 2) for name, of in SERIES.items()}


def worse_than_linear(costs: Sequence[Cost]) -> list[str]:
    """The series that grow faster than the nodes, over all sizes or between the two largest."""
    over_all, at_the_end = exponents(costs), exponents(costs[-2:])
    return [name for name in SERIES if over_all[name] > LINEAR or at_the_end[name] > LAST]
