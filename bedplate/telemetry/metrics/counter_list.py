"""dcgm-exporter's list of counters, made from the table: its own default lacks what most alerts need."""

from __future__ import annotations

from bedplate.telemetry.metrics.dcgm import DCGM_METRICS, DcgmMetric
from bedplate.telemetry.metrics.dcgm_made import DCGM_MADE_METRICS
from bedplate.telemetry.metrics.metric import Metric


def counter_list(*, gpu_architecture: str, profiling: bool = True) -> str:
    """The text of ``--collectors FILE``: field, type, help, one a line.

    ``gpu_architecture`` is NVIDIA's name (``Hopper``, ``Blackwell``): a field that a GPU does not have is
    left out. ``profiling=False`` where another DCGM on the node reads the performance counters.
    """
    fields: list[Metric] = [each for each in DCGM_METRICS if _has(each, gpu_architecture, profiling)]
    lines = [f"{each.name}, {each.kind}, {_help(each)}" for each in (*fields, *DCGM_MADE_METRICS)]
    return "".join(f"{line}\n" for line in lines)


def _has(each: DcgmMetric, gpu_architecture: str, profiling: bool) -> bool:
    if each.profiling and not profiling:
        return False
    return not each.gpu_architectures or gpu_architecture in each.gpu_architectures


def _help(each: Metric) -> str:
    # The exporter splits a line at each comma.
    return f"{each.help} ({each.unit})".replace(",", ";")
