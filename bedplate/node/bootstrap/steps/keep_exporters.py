"""The programs that collect this node's metrics and send them to the environment's workspace.

A node whose metrics do not run takes jobs all the same (``holds_jobs``): nothing that a job needs is missing,
and an alert says that the node is not seen. The record says so too, and NOD-002 fails.

The agent is vmagent: one program without parts, which signs for AMP with the node's role, keeps what it
cannot send, and reads Prometheus' own configuration. Prometheus' agent mode does the same with more memory;
Debian's build of it does not sign. It is on every node, since nobody else finds HyperPod's.
"""

from __future__ import annotations

from typing import Dict, List

from bedplate.hardware import UnknownInstanceType, instance_type
from bedplate.node.bootstrap.attempts import must
from bedplate.node.bootstrap.collection import Collection
from bedplate.node.bootstrap.exporters import programs, units
from bedplate.node.bootstrap.exporters.scrape import scrape_config
from bedplate.node.bootstrap.exporters.table import MetricsTable, carried_table
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.places import (
    APPLICATIONS,
    COUNTERS,
    GPU_JOBS,
    METRICS,
    NCCL_METRICS,
    SCRAPE,
    UNITS,
)
from bedplate.node.bootstrap.readers.pairs import read_pairs
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.bootstrap.step import Step, StepFailedError

OTHERS = (
    "nvidia-dcgm-exporter.service",
    "dcgm-exporter.service",
    "prometheus-node-exporter.service",
    "node_exporter.service",
    "node-exporter.service",
    "vmagent.service",
)
"""Of packages and images: they would take the ports, or profile the GPUs beside ours, and DCGM allows one."""
_SETTLE_SECONDS = 5.0


def _why_not(settings: NodeSettings) -> str:
    return "" if settings.collection else "the environment collects no metrics of nodes"


def _run(host: Host, settings: NodeSettings) -> str:
    told = settings.collection
    if told is None:
        return "nothing asked"
    table = carried_table()
    if told.packages:
        programs.install(host, told.packages)
    _mask_others(host)
    _make_folders(host)
    if settings.gpus:
        host.write(COUNTERS, _counters(settings, table))
    name = (host.read("/etc/hostname") or "").strip()
    host.write(SCRAPE, scrape_config(settings, told, table, instance_id=host.instance_id, node=name))
    wanted = _units(host, settings, told, table)
    changed = [name for name, text in wanted.items() if host.write(f"{UNITS}/{name}", text)]
    running = [name for name in wanted if name != units.COLLECT]
    if changed:
        must(host, "systemctl", "daemon-reload")
    must(host, "systemctl", "enable", "--now", *running)
    again = [name for name in changed if name in running and not name.endswith(".timer")]
    if again:
        must(host, "systemctl", "restart", *again)
    _must_run(host, running)
    return f"{len(running)} units run" + (f", {len(changed)} of them new" if changed else "")


def _units(host: Host, settings: NodeSettings, told: Collection, table: MetricsTable) -> Dict[str, str]:
    wanted = [programs.NODE_EXPORTER, programs.AGENT, *([programs.DCGM_EXPORTER] if settings.gpus else [])]
    found = {each.name: programs.command_of(host, each) for each in wanted}
    missing = [f"{each.name} ({each.of})" for each in wanted if found[each.name] is None]
    if missing:
        raise StepFailedError(
            f"{', '.join(missing)}: neither the image nor observability.collection.packages has it; add the "
            "package, or take an image that has it"
        )
    made = {
        **units.collect_units(),
        units.NODE_EXPORTER: units.node_exporter_unit(str(found[programs.NODE_EXPORTER.name]), table),
        units.AGENT: units.agent_unit(str(found[programs.AGENT.name]), told),
    }
    if settings.gpus:
        engine = _loaded(host, [units.ENGINE])
        made[units.DCGM_EXPORTER] = units.dcgm_exporter_unit(
            str(found[programs.DCGM_EXPORTER.name]), engine=bool(engine)
        )
        if engine:
            must(host, "systemctl", "enable", "--now", units.ENGINE, seconds=120)
    return made


def _counters(settings: NodeSettings, table: MetricsTable) -> str:
    try:
        architecture = instance_type(settings.instance_type).gpu.architecture
    except UnknownInstanceType as error:
        raise StepFailedError(str(error)) from error
    if architecture not in table.counters:
        raise StepFailedError(f"the table of metrics has no counters for {architecture}")
    return table.counters[architecture]


def _make_folders(host: Host) -> None:
    for path in (METRICS, GPU_JOBS):
        host.path(path).mkdir(parents=True, exist_ok=True)
    for path in (NCCL_METRICS, APPLICATIONS):
        # Jobs of any user write here, and none may take another's file away.
        host.path(path).mkdir(parents=True, exist_ok=True)
        host.path(path).chmod(0o1777)


def _mask_others(host: Host) -> None:
    others = _loaded(host, OTHERS)
    if others:
        must(host, "systemctl", "mask", "--now", *others, seconds=120)


def _loaded(host: Host, names: "List[str] | tuple[str, ...]") -> List[str]:
    """Those that are there and not masked."""
    ran = must(host, "systemctl", "show", *names, "--property=Id,LoadState")
    blocks = [read_pairs(block) for block in ran.stdout.split("\n\n")]
    return [block["Id"] for block in blocks if block.get("LoadState") == "loaded" and "Id" in block]


def _must_run(host: Host, names: List[str]) -> None:
    """A program that ends at once is started again and again: looked at a little later, it does not run."""
    host.pause(_SETTLE_SECONDS)
    ran = must(host, "systemctl", "show", *names, "--property=Id,ActiveState")
    blocks = [read_pairs(block) for block in ran.stdout.split("\n\n")]
    active = {block.get("Id") for block in blocks if block.get("ActiveState") == "active"}
    down = [name for name in names if name not in active]
    if down:
        raise StepFailedError(f"{', '.join(down)}: not running; `journalctl -u {down[0]}` says why")


STEP = Step("keep_exporters", _why_not, _run, needs=("install_program",), holds_jobs=False)
