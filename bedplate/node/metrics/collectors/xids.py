"""Xids out of the kernel log as counters of this boot: DCGM tells the last one alone, and never that it came
again (NVIDIA/dcgm-exporter 500).

Only new lines are read: the journal's cursor is kept with the counts, in one file. A run that is killed
before the file is written counts again what it had not kept; one that is killed after it, nothing twice.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from bedplate.diagnosis.checks.xid_reading import XidReading, read_events
from bedplate.diagnosis.parsers.kernel_log import KernelLog, XidEvent, read_kernel_log
from bedplate.diagnosis.parsers.text import clean_lines
from bedplate.diagnosis.tools import kernel_log_part_argv
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.identity import boot_id
from bedplate.node.metrics.collector import Collector, CollectorError, Surroundings
from bedplate.node.metrics.exposition import COUNTER, Family, sample
from bedplate.node.places import extended_path
from bedplate.node.process import Limits, run_tool

NAME = "bedplate_xid_total"
OFF_BUS, UNREADABLE, UNKNOWN = "off-bus", "unreadable", "unknown"
"""Values of the labels ``xid`` and ``policy`` where there is no number, and no policy."""
_CURSOR = "-- cursor: "
_SECONDS = 20.0
_MOST_EVENTS = 1_000
_MEMORY = "xids.json"
_VERSION = 1
Key = Tuple[str, str, str]


@dataclass(frozen=True)
class Memory:
    """Of one boot: how far the log is read, what was counted by (xid, PCI address, policy), and the events
    behind it, since what a later one means may rest on an earlier one.
    """

    boot_id: str
    cursor: str = ""
    counts: Dict[Key, int] = field(default_factory=dict)
    events: Tuple[XidEvent, ...] = ()


def counted(memory: Memory, log: Optional[KernelLog], *, cursor: str) -> Memory:
    """The memory with what is new in ``log``; None for a log without new lines."""
    counts = dict(memory.counts)
    fresh = () if log is None else log.events
    readings = read_events([*memory.events, *fresh])[len(memory.events) :]
    for reading in readings:
        key = _key(reading)
        counts[key] = counts.get(key, 0) + 1
    if log is not None and log.unreadable:
        key = (UNREADABLE, "", UNKNOWN)
        counts[key] = counts.get(key, 0) + len(log.unreadable)
    events = {(each.kind, each.device, each.code, each.subcode): each for each in (*memory.events, *fresh)}
    return replace(
        memory,
        counts=counts,
        cursor=cursor or memory.cursor,
        events=tuple(events.values())[-_MOST_EVENTS:],
    )


def _key(reading: XidReading) -> Key:
    event = reading.event
    code = {"sxid": f"sxid-{event.code}", "off-bus": OFF_BUS}.get(event.kind, str(event.code))
    return code, bus_id(event.device), reading.policy or UNKNOWN


def bus_id(device: str) -> str:
    """As DCGM writes it, so that series join: ``00000000:0F:00.0`` of ``0000:0f:00``; empty for none."""
    domain, colon, rest = device.partition(":")
    return f"{domain.rjust(8, '0')}:{rest}.0".upper() if colon else ""


def _applies(settings: NodeSettings) -> bool:
    return settings.gpus > 0


def _collect(around: Surroundings) -> List[Family]:
    path = around.memory / _MEMORY
    memory = _recalled(path, boot_id())
    text, ended = _read(memory.cursor)
    lines = clean_lines(text)
    cursor = next((each[len(_CURSOR) :] for each in reversed(lines) if each.startswith(_CURSOR)), "")
    told = [each for each in lines if each and not each.startswith("-- ")]
    if not told and not memory.cursor:
        raise CollectorError("the kernel log is empty")
    if told and not ended:
        raise CollectorError("the kernel log broke off")
    memory = counted(memory, read_kernel_log(told) if told else None, cursor=cursor)
    _keep(path, memory)
    samples = [
        sample(count, {"xid": xid, "pci_bus_id": device, "policy": policy})
        for (xid, device, policy), count in sorted(memory.counts.items())
    ]
    return [Family(NAME, COUNTER, tuple(samples))]


def _read(cursor: str) -> Tuple[str, bool]:
    """The new lines, and whether the cursor stands behind them."""
    argv = kernel_log_part_argv(after=cursor)
    run = run_tool(argv=argv, limits=Limits(_SECONDS), environment={"PATH": extended_path()})
    if run.rc != 0:
        raise CollectorError(f"{argv[0]}: {(run.stderr or run.problem).strip()[-200:]}")
    return run.stdout, _CURSOR in run.stdout


def _recalled(path: Path, boot: str) -> Memory:
    """What an earlier run of this boot kept; nothing where there is none, or it cannot be read."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["version"] != _VERSION or data["boot_id"] != boot or not boot:
            return Memory(boot)
        counts = {(xid, device, policy): int(count) for xid, device, policy, count in data["counts"]}
        events = tuple(XidEvent(**each) for each in data["events"])
        return Memory(boot, str(data["cursor"]), counts, events)
    except (OSError, ValueError, KeyError, TypeError):
        return Memory(boot)


def _keep(path: Path, memory: Memory) -> None:
    data: Dict[str, Any] = {
        "version": _VERSION,
        "boot_id": memory.boot_id,
        "cursor": memory.cursor,
        "counts": [[*key, count] for key, count in memory.counts.items()],
        "events": [asdict(each) for each in memory.events],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.partial")
    partial.write_text(json.dumps(data), encoding="utf-8")
    partial.replace(path)


COLLECTOR = Collector("xids", _applies, _collect)
