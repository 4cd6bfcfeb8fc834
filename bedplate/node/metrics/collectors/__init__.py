"""The collectors, one a file, and all of them."""

from __future__ import annotations

from typing import Tuple

from bedplate.node.metrics.collector import Collector
from bedplate.node.metrics.collectors import boot, efa, expected, info, jobs, lustre, nccl, slurm, xids

COLLECTORS: Tuple[Collector, ...] = (
    info.COLLECTOR,
    expected.COLLECTOR,
    boot.COLLECTOR,
    efa.COLLECTOR,
    xids.COLLECTOR,
    jobs.COLLECTOR,
    nccl.COLLECTOR,
    lustre.COLLECTOR,
    slurm.COLLECTOR,
)
"""In the order in which they run: those that may hang come last."""
