"""What NCCL Inspector writes for jobs, taken over from a folder that any user may write to.

node_exporter does not read that folder itself: one file with a series twice, or with a time stamp, would cost
the node all its metrics, and one with other names could say anything. Here names, labels and their number are
bounded. (NVIDIA/nccl, ``plugins/profiler/inspector``: ``NCCL_INSPECTOR_PROM_DUMP``.)
"""

from __future__ import annotations

import os
import re
import stat
import time
from pathlib import Path
from typing import Dict, List, Tuple

from bedplate.node.bootstrap.places import NCCL_METRICS
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.metrics.collector import Collector, Surroundings
from bedplate.node.metrics.exposition import GAUGE, Family, Sample

NAMES = ("nccl_bus_bandwidth_gbs", "nccl_collective_exec_time_microseconds")
LABELS = ("collective", "message_size", "nranks", "n_nodes", "hostname", "slurm_job_id")
LEAST_BYTES = 1_000_000
"""Smaller messages say nothing of bandwidth, and have the most sizes."""
MOST_SERIES = 200
"""Of each name, a node; ours to choose."""
_MOST_FILES, _MOST_BYTES = 64, 1 << 20
_OLD_SECONDS = 600.0
"""What nobody has written for so long is of a job that has ended."""
_LINE = re.compile(r"^(?P<name>nccl_\w+)\{(?P<labels>[^}]*)\}\s+(?P<value>[0-9.eE+-]+)(?:\s+\d+)?\s*$")
_LABEL = re.compile(r'(?P<name>\w+)="(?P<value>[^"\\\n]{0,128})"')
_Key = Tuple[Tuple[str, str], ...]


def _applies(settings: NodeSettings) -> bool:
    return settings.gpus > 0 and settings.role == "compute"


def _collect(around: Surroundings) -> List[Family]:
    found: Dict[str, Dict[_Key, float]] = {name: {} for name in NAMES}
    for path in _files(around.path(NCCL_METRICS)):
        for line in _text(path).splitlines():
            match = _LINE.match(line)
            if match is None or match.group("name") not in found:
                continue
            labels = dict(_LABEL.findall(match.group("labels")))
            size = labels.get("message_size", "")
            series = found[match.group("name")]
            if not size.isdigit() or int(size) < LEAST_BYTES or len(series) >= MOST_SERIES:
                continue
            try:
                series[tuple((name, labels.get(name, "")) for name in LABELS)] = float(match.group("value"))
            except ValueError:
                continue
    return [
        Family(name, GAUGE, tuple(Sample(value, key) for key, value in series.items()))
        for name, series in found.items()
    ]


def _files(folder: Path) -> List[Path]:
    """The newest, that are of now."""
    recent = []
    try:
        for path in folder.iterdir():
            told = path.lstat()
            fresh = told.st_mtime >= time.time() - _OLD_SECONDS and told.st_size <= _MOST_BYTES
            if fresh and path.suffix == ".prom" and stat.S_ISREG(told.st_mode):
                recent.append((told.st_mtime, path))
    except OSError:
        return []
    return [path for _, path in sorted(recent, reverse=True)[:_MOST_FILES]]


def _text(path: Path) -> str:
    """Never through a link, which would lead root to any file, nor from a pipe, which would keep it."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    with os.fdopen(handle, "rb") as stream:
        return stream.read(_MOST_BYTES).decode("utf-8", errors="replace")


COLLECTOR = Collector("nccl", _applies, _collect)
