"""What this program carries of the table of metrics; ``bedplate.telemetry.node_table`` writes it."""

from __future__ import annotations

import json
import pkgutil
from dataclasses import dataclass
from typing import Dict, Optional, Tuple

from bedplate.node.bootstrap.step import StepFailedError

FILE = "metrics.json"
"""Beside the node's package in the program."""
VERSION = 1


@dataclass(frozen=True)
class MetricsTable:
    """``counters`` is dcgm-exporter's list by NVIDIA's name of the GPU's generation; ``names`` and ``labels``
    are what is kept of each scrape job; ``slurm_paths`` are those of slurmctld's own metrics.
    """

    counters: Dict[str, str]
    names: Dict[str, Tuple[str, ...]]
    labels: Dict[str, Tuple[str, ...]]
    systemd_units: Tuple[str, ...]
    slurm_paths: Tuple[str, ...]


def read_table(text: str) -> MetricsTable:
    """Raises ``ValueError`` for anything but a whole table of this version."""
    data = json.loads(text)
    if not isinstance(data, dict) or data.get("version") != VERSION:
        raise ValueError(f"it is no table of version {VERSION}")
    try:
        return MetricsTable(
            counters={str(name): str(each) for name, each in data["counters"].items()},
            names={str(job): tuple(each) for job, each in data["names"].items()},
            labels={str(job): tuple(each) for job, each in data["labels"].items()},
            systemd_units=tuple(data["systemd_units"]),
            slurm_paths=tuple(data["slurm_paths"]),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"it lacks a part: {error}") from error


def carried_table() -> MetricsTable:
    """Raises ``StepFailedError`` where this program was built without one."""
    try:
        data: Optional[bytes] = pkgutil.get_data("bedplate.node", FILE)
        return read_table((data or b"").decode("utf-8"))
    except (OSError, ValueError) as error:
        raise StepFailedError(
            f"this program carries no table of metrics that can be read ({error}): deploy again"
        ) from error
