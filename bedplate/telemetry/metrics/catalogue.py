"""All metrics, by name. What names one that is not here does not build: ``metric`` raises."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bedplate.telemetry.metrics.agent import AGENT_METRICS
from bedplate.telemetry.metrics.dcgm import DCGM_METRICS
from bedplate.telemetry.metrics.dcgm_made import DCGM_MADE_METRICS
from bedplate.telemetry.metrics.efa import EFA_METRICS
from bedplate.telemetry.metrics.jobs import APPLICATION_METRICS, NCCL_METRICS
from bedplate.telemetry.metrics.kube_state import KUBE_STATE_TABLE
from bedplate.telemetry.metrics.kueue import KUEUE_METRICS
from bedplate.telemetry.metrics.metric import Metric
from bedplate.telemetry.metrics.node import NODE_METRICS
from bedplate.telemetry.metrics.node_program import NODE_PROGRAM_METRICS
from bedplate.telemetry.metrics.ruler import RULER_METRICS
from bedplate.telemetry.metrics.slurmctld import SLURMCTLD_METRICS
from bedplate.telemetry.metrics.validation import VALIDATION_METRICS

_ALL: tuple[Metric, ...] = (
    *DCGM_METRICS,
    *DCGM_MADE_METRICS,
    *EFA_METRICS,
    *NODE_METRICS,
    *NODE_PROGRAM_METRICS,
    *SLURMCTLD_METRICS,
    *KUBE_STATE_TABLE,
    *KUEUE_METRICS,
    *NCCL_METRICS,
    *APPLICATION_METRICS,
    *VALIDATION_METRICS,
    *AGENT_METRICS,
    *RULER_METRICS,
)

METRICS: Mapping[str, Metric] = MappingProxyType({each.name: each for each in _ALL})
"""Metric by name, in the order of the tables."""

SAMPLES: Mapping[str, Metric] = MappingProxyType({name: each for each in _ALL for name in each.sample_names})
"""Metric by the name of a series, where a histogram has three."""


class UnknownMetric(KeyError):
    """No exporter of ours is said to emit a metric of this name."""


def metric(name: str) -> Metric:
    """The metric that has series of this name. Raises ``UnknownMetric``."""
    try:
        return SAMPLES[name]
    except KeyError:
        raise UnknownMetric(
            f"{name} is in no table of bedplate/telemetry/metrics; add it there with its exporter and source"
        ) from None
