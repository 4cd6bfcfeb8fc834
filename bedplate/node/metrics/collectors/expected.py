"""What a node of its type has: without it, a GPU that is gone only makes rules silent."""

from __future__ import annotations

from typing import List

from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.metrics.collector import Collector, Surroundings
from bedplate.node.metrics.exposition import Family, gauge


def _applies(settings: NodeSettings) -> bool:
    return settings.role == "compute"


def _collect(around: Surroundings) -> List[Family]:
    settings = around.settings
    return [
        gauge("bedplate_expected_gpus", settings.gpus),
        gauge("bedplate_expected_efas", settings.efa_count),
    ]


COLLECTOR = Collector("expected", _applies, _collect)
