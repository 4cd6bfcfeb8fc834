"""What a node needs of the table of metrics, as the file that its program carries.

A node has only the standard library and neither this floor nor the table. So that no second list is kept
there, the deploy puts this one into the node program, whose digest covers it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from bedplate.hardware.catalogue import INSTANCE_TYPES
from bedplate.telemetry.metrics.catalogue import METRICS
from bedplate.telemetry.metrics.counter_list import counter_list
from bedplate.telemetry.metrics.exporters import DCGM_EXPORTER, SLURMCTLD
from bedplate.telemetry.metrics.metric import Metric
from bedplate.telemetry.metrics.node import SYSTEMD_UNITS
from bedplate.telemetry.metrics.slurmctld import PATHS

VERSION = 1


def node_table() -> bytes:
    """ASCII JSON, the same bytes for the same table."""
    architectures = sorted({each.gpu.architecture for each in INSTANCE_TYPES.values() if each.gpu})
    jobs = {"dcgm": _of(DCGM_EXPORTER.job), "node": _node(), "slurm": _of(SLURMCTLD.job)}
    data: Mapping[str, object] = {
        "version": VERSION,
        "counters": {each: counter_list(gpu_architecture=each) for each in architectures},
        "names": {job: [name for each in found for name in each.sample_names] for job, found in jobs.items()},
        "labels": {
            job: sorted({name for each in found for name in each.labels}) for job, found in jobs.items()
        },
        "systemd_units": list(SYSTEMD_UNITS),
        "slurm_paths": list(PATHS),
    }
    return (json.dumps(data, sort_keys=True, separators=(",", ":")) + "\n").encode("ascii")


def _of(job: str) -> list[Metric]:
    return [each for each in METRICS.values() if each.exporter.job == job]


def _node() -> list[Metric]:
    """What node_exporter serves: its own, and text files, those of validation too."""
    return [*_of("node"), *_of("validation")]
