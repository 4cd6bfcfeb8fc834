"""One metric: its name as it is scraped, and what is known of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bedplate.telemetry.metrics.exporter import Exporter

Kind = Literal["counter", "gauge", "histogram"]


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A metric of one exporter.

    ``unit`` is a word for pages and panels (``bytes``, ``celsius``, ``ns``, ``ratio``, ``1`` for a count).
    ``labels`` are those beside ``COMMON_LABELS``, which the agent adds to every series. ``gpu_architectures``
    are NVIDIA's names of those that have it, empty for all. ``series_per`` says what one node has a series
    of. ``source`` is where the name is read.
    """

    name: str
    kind: Kind
    unit: str
    help: str
    exporter: Exporter
    labels: tuple[str, ...] = ()
    series_per: str = "node"
    gpu_architectures: tuple[str, ...] = ()
    source: str = ""

    @property
    def sample_names(self) -> tuple[str, ...]:
        """The names of its series: a histogram has three."""
        if self.kind != "histogram":
            return (self.name,)
        return tuple(f"{self.name}_{part}" for part in ("bucket", "sum", "count"))
