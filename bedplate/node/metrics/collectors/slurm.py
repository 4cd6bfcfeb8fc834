"""What Slurm says of all nodes and jobs, on the node that has its clients and takes no jobs.

Slurm's own metrics (from 25.11) name no node and no reason, and older versions have none: this does for all.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Counter as Counts
from typing import List, Tuple

from bedplate.diagnosis.parsers.scontrol import SlurmNode
from bedplate.node.bootstrap.places import SLURMCTLD
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.metrics.collector import Collector, CollectorError, Surroundings
from bedplate.node.metrics.exposition import GAUGE, Family, sample
from bedplate.node.process import Limits, run_tool
from bedplate.node.set_nodes import REASON_PREFIX
from bedplate.node.slurm_client import SlurmClient

SQUEUE = ("squeue", "--noheader", "--all", "--array", "--format=%T|%P")
_SECONDS = 10.0
_GPUS = re.compile(r"gres/gpu=(?P<count>[0-9]{1,6})(?:,|$)")
_CONFIGURED = re.compile(r"(?:^|,)gpu(?::[A-Za-z][\w.-]*)?:(?P<count>[0-9]{1,6})")
_HOST = re.compile(
    r"^SlurmctldHost(?:\[0\])?\s*=\s*(?P<name>[^\s(]+)(?:\((?P<address>[^)]+)\))?", re.MULTILINE
)
_PORT = re.compile(r"^SlurmctldPort\s*=\s*(?P<port>[0-9]{1,5})", re.MULTILINE)
Key = Tuple[str, str]
# Flags that say more than the base state, the first of them counting.
_FLAGS = ("FAIL", "FAILING", "INVALID_REG", "NOT_RESPONDING", "REBOOT_ISSUED", "MAINTENANCE", "MAINT")
_OFF = ("POWERED_DOWN", "POWERING_DOWN", "POWERING_UP")
_AT_WORK = ("ALLOCATED", "MIXED")


def shown_state(node: SlurmNode) -> str:
    """One word, as sinfo shows it: a drain is told before what the node does."""
    if node.state == "DOWN":
        return "down"
    if "DRAIN" in node.flags:
        return "draining" if node.state in _AT_WORK or "COMPLETING" in node.flags else "drained"
    for flag in (*_FLAGS, *_OFF):
        if flag in node.flags:
            return flag.lower()
    return node.state.lower()


def _applies(settings: NodeSettings) -> bool:
    return settings.collection is not None and settings.collection.slurm


def _collect(around: Surroundings) -> List[Family]:
    slurm = SlurmClient(version=around.settings.slurm_version)
    nodes = slurm.nodes()
    if not nodes:
        raise CollectorError("scontrol tells of no node")
    run = run_tool(argv=SQUEUE, limits=Limits(_SECONDS), environment={"PATH": slurm.path})
    if run.rc != 0:
        raise CollectorError(f"squeue: {(run.stderr or run.problem).strip()[-200:]}")
    if around.settings.collection is not None and around.settings.collection.slurmctld:
        _tell_address(around, slurm)
    return [_states(nodes), _gpus(nodes), _jobs(run.stdout)]


def _tell_address(around: Surroundings, slurm: SlurmClient) -> None:
    """Where slurmctld serves its own metrics, for the agent: it is known on no node before slurmctld has
    answered, and in no template.
    """
    run = slurm.scontrol("show", "config", quiet=True)
    host, port = _HOST.search(run.stdout), _PORT.search(run.stdout)
    if run.rc != 0 or host is None or port is None:
        raise CollectorError("scontrol does not tell where slurmctld is")
    address = host.group("address") or host.group("name")
    text = json.dumps([{"targets": [f"{address}:{port.group('port')}"]}]) + "\n"
    path = around.path(SLURMCTLD)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f".{path.name}.new")
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)


def _states(nodes: "Tuple[SlurmNode, ...]") -> Family:
    samples = [
        sample(
            1,
            {
                "slurm_node": node.name,
                "slurm_partition": ",".join(node.partitions),
                "state": shown_state(node),
                "ours": "true" if node.reason.startswith(REASON_PREFIX) else "false",
            },
        )
        for node in nodes
    ]
    return Family("bedplate_slurm_node_state", GAUGE, tuple(samples))


def _gpus(nodes: "Tuple[SlurmNode, ...]") -> Family:
    counts: Counts[Key] = Counter()
    for node in nodes:
        configured = sum(int(each.group("count")) for each in _CONFIGURED.finditer(node.gres))
        allocated = sum(int(each.group("count")) for each in _GPUS.finditer(node.allocated))
        for partition in node.partitions:
            counts[(partition, "configured")] += configured
            counts[(partition, "allocated")] += allocated
    return _counted("bedplate_slurm_gpus", counts)


def _jobs(text: str) -> Family:
    counts: Counts[Key] = Counter()
    for line in text.splitlines():
        state, bar, partitions = line.strip().partition("|")
        # A job that waits for any of several partitions waits in each.
        for partition in partitions.split(",") if bar else []:
            counts[(partition, state.lower())] += 1
    return _counted("bedplate_slurm_jobs", counts)


def _counted(name: str, counts: "Counts[Key]") -> Family:
    samples = [
        sample(count, {"slurm_partition": partition, "state": state})
        for (partition, state), count in sorted(counts.items())
    ]
    return Family(name, GAUGE, tuple(samples))


COLLECTOR = Collector("slurm", _applies, _collect)
