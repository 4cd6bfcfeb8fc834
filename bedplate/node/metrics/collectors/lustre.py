"""What this node does on its Lustre file systems: the statistics of the client.

``lctl get_param llite.*.stats`` prints a heading ``llite.FSNAME-POINTER.stats=`` for each mount, and below it
lines such as ``read_bytes 12 samples [bytes] MIN MAX SUM [SUMSQ]`` (Lustre Operations Manual, "Monitoring
Client Activity"). A mount whose server is gone does not keep it from answering; it has a deadline anyway.
"""

from __future__ import annotations

import re
from typing import Dict, List, Tuple

from bedplate.diagnosis.storage_tools import LLITE_STATS
from bedplate.node.bootstrap.readers.mount_table import read_mounts
from bedplate.node.bootstrap.settings import Mount, NodeSettings
from bedplate.node.metrics.collector import Collector, CollectorError, Surroundings
from bedplate.node.metrics.exposition import COUNTER, GAUGE, Family, Sample, sample
from bedplate.node.places import extended_path
from bedplate.node.process import Limits, run_tool

OPERATIONS = (
    *("open", "close", "getattr", "setattr", "readdir", "statfs", "fsync", "truncate"),
    *("create", "unlink", "mkdir", "rmdir", "rename", "link", "symlink", "lookup"),
)
"""Which operations are told; Lustre counts others, and newer versions more."""
_HEADING = re.compile(r"^llite\.(?P<name>[^=]+)-[0-9a-f]+\.stats=")
_ROW = re.compile(
    r"^(?P<what>\w+)\s+(?P<count>\d+) samples \[\w+\](?:\s+\d+\s+\d+\s+(?P<sum>\d+))?", re.ASCII
)
_SECONDS = 8.0
Stats = Dict[str, Tuple[int, int]]
"""What is counted → how often, and the sum of it."""


def parse_llite_stats(text: str) -> Dict[str, Stats]:
    """File system's name → its statistics. Of one that is mounted twice, both together."""
    found: Dict[str, Stats] = {}
    stats: Stats = {}
    for line in text.splitlines():
        heading = _HEADING.match(line)
        if heading is not None:
            stats = found.setdefault(heading.group("name"), {})
        row = _ROW.match(line)
        if row is not None:
            count, total = stats.get(row.group("what"), (0, 0))
            stats[row.group("what")] = (count + int(row.group("count")), total + int(row.group("sum") or 0))
    return found


def _applies(settings: NodeSettings) -> bool:
    return bool(_lustre(settings))


def _lustre(settings: NodeSettings) -> List[Mount]:
    return [mount for mount in settings.mounts if mount.kind == "lustre"]


def _collect(around: Surroundings) -> List[Family]:
    mounts = _lustre(around.settings)
    table = around.path("/proc/mounts").read_text(encoding="utf-8", errors="replace")
    at = {each.target for each in read_mounts(table) if each.kind == "lustre"}
    mounted = [sample(int(mount.path in at), _labels(mount)) for mount in mounts]
    families = [Family("bedplate_lustre_mounted", GAUGE, tuple(mounted))]
    if not at:
        return families
    run = run_tool(argv=LLITE_STATS, limits=Limits(_SECONDS), environment={"PATH": extended_path()})
    if run.rc != 0:
        raise CollectorError(f"{' '.join(LLITE_STATS)}: {(run.stderr or run.problem).strip()[-200:]}")
    stats = parse_llite_stats(run.stdout)
    if not stats:
        raise CollectorError(f"{' '.join(LLITE_STATS)} printed no statistics that can be read")
    read: List[Sample] = []
    written: List[Sample] = []
    operations: List[Sample] = []
    for mount in mounts:
        own = stats.get(_name(mount))
        if own is None:
            continue
        labels = _labels(mount)
        read.append(sample(own.get("read_bytes", (0, 0))[1], labels))
        written.append(sample(own.get("write_bytes", (0, 0))[1], labels))
        operations += [
            sample(own[each][0], {**labels, "operation": each}) for each in OPERATIONS if each in own
        ]
    return [
        *families,
        Family("bedplate_lustre_read_bytes_total", COUNTER, tuple(read)),
        Family("bedplate_lustre_written_bytes_total", COUNTER, tuple(written)),
        Family("bedplate_lustre_operations_total", COUNTER, tuple(operations)),
    ]


def _name(mount: Mount) -> str:
    """``DNS@tcp:/NAME`` or ``DNS@tcp:/NAME/folder``: the name that the client's parameters have."""
    return mount.source.partition(":/")[2].partition("/")[0]


def _labels(mount: Mount) -> Dict[str, str]:
    return {"file_system": _name(mount), "path": mount.path}


COLLECTOR = Collector("lustre", _applies, _collect)
