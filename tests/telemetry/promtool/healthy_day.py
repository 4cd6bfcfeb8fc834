"""A day of a healthy fleet under changing load, as series of promtool: two p5en nodes and a login node.

All of it is SIMULATED. Jobs come and go, write a checkpoint each hour, and leave the nodes at rest between.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bedplate.telemetry.metrics.catalogue import METRICS
from bedplate.telemetry.metrics.dcgm import DCGM_METRICS
from bedplate.telemetry.metrics.efa import EFA_COUNTERS
from bedplate.telemetry.metrics.node import SYSTEMD_UNITS
from bedplate.telemetry.metrics.slurmctld import SLURMCTLD_METRICS
from tests.telemetry.promtool.healthy_values import (
    APPLICATION,
    DISK,
    EFA,
    GPU,
    INDEX,
    LUSTRE,
    MOUNT,
    NETWORK,
    NODE,
    State,
    Values,
)
from tests.telemetry.promtool.series import PLACE

MINUTES = 24 * 60
NODES, GPUS, EFAS = 2, 8, 16


@dataclass(frozen=True)
class Phase:
    """``job`` is empty while the nodes are at rest."""

    minutes: int
    state: State
    job: str


def _job(name: str, hours: int) -> tuple[Phase, ...]:
    return (Phase(54, "train", name), Phase(6, "checkpoint", name)) * hours


DAY: tuple[Phase, ...] = (
    Phase(60, "rest", ""),
    *_job("71", 9),
    Phase(90, "rest", ""),
    *_job("72", 5),
    Phase(30, "rest", ""),
    *_job("73", 6),
    Phase(60, "rest", ""),
)
JOBS = tuple(dict.fromkeys(phase.job for phase in DAY if phase.job))
Input = dict[str, str]


def series() -> list[Input]:
    """All series of the day."""
    found = [each for index in range(NODES) for each in _node(index)]
    return [*found, *_login(), *_cluster()]


def _node(index: int) -> Iterator[Input]:
    place = {**PLACE, "node": f"train-{index + 1}", "instance_id": f"i-0a{index + 1}"}
    dcgm, node = {**place, "job": "dcgm"}, {**place, "job": "node"}
    for gpu in range(GPUS):
        labels = {
            **dcgm,
            "gpu": str(gpu),
            "UUID": f"GPU-{index}-{gpu}",
            "pci_bus_id": f"00000000:{gpu}3:00.0",
        }
        for metric in DCGM_METRICS:
            if not metric.gpu_architectures or "Hopper" in metric.gpu_architectures:
                yield from _by_job(metric.name, labels, GPU.get(metric.name, (0, 0, 0)))
        event = {"clock_event": "power_cap", "window_size_in_ms": "300000"}
        yield from _by_job("DCGM_EXP_CLOCK_EVENTS_COUNT", {**labels, **event}, (0, 30, 0))
    for device in range(EFAS):
        for counter in EFA_COUNTERS:
            labels = {**node, "device": f"rdmap{device}s0", "port": "1"}
            yield _all_day(f"node_amazonefa_{counter}", labels, EFA.get(counter, (0, 0, 0)))
    yield from _host(node, NODE)
    yield _all_day("bedplate_node_info", {**node, "ultraserver": "", "network_node": "nn-1"}, (1, 1, 1))
    yield _all_day("node_md_disks", {**node, "device": "md0", "state": "active"}, (8, 8, 8))
    yield _all_day("node_md_disks", {**node, "device": "md0", "state": "failed"}, (0, 0, 0))
    at = {"file_system": "fmkbqbev", "path": "/fsx"}
    for name, values in LUSTRE.items():
        operation = {"operation": "open"} if name.endswith("operations_total") else {}
        yield _all_day(name, {**node, **at, **operation}, values)
    for job in JOBS:
        of = {"job_name": "train", "account": "a", "partition": "train", "gpus": "0,1,2,3,4,5,6,7"}
        yield _within(job, "bedplate_job_node", {**node, **of, "hpc_job": job}, (1, 1, 1))
        yield from _nccl(job, {**node, "hostname": f"train-{index + 1}"})
        if index == 0:
            for name, values in APPLICATION.items():
                yield _within(job, name, {**place, "job": "application", "hpc_job": job}, values)
    yield from _scraped({"dcgm": dcgm, "node": node})


def _nccl(job: str, labels: dict[str, str]) -> Iterator[Input]:
    of = {
        "collective": "AllReduce",
        "message_size": "1-2GB",
        "nranks": "16",
        "n_nodes": "2",
        "slurm_job_id": job,
    }
    yield _within(job, "nccl_bus_bandwidth_gbs", {**labels, **of}, (0, 465, 460))
    yield _within(job, "nccl_collective_exec_time_microseconds", {**labels, **of}, (0, 8400, 8500))


def _host(node: dict[str, str], values: dict[str, Values]) -> Iterator[Input]:
    for name, each in values.items():
        yield _all_day(name, node, each)
    for name, each in DISK.items():
        yield _all_day(name, {**node, "device": "nvme1n1"}, each)
    for name, each in NETWORK.items():
        yield _all_day(name, {**node, "device": "ens32"}, each)
    for device, kind, place in (("/dev/md0", "xfs", "/scratch"), ("fs@tcp:/f", "lustre", "/fsx")):
        for name, each in MOUNT.items():
            yield _all_day(name, {**node, "device": device, "fstype": kind, "mountpoint": place}, each)
    for unit in SYSTEMD_UNITS:
        for state in ("active", "failed", "inactive"):
            labels = {**node, "name": f"{unit}.service", "state": state, "type": "simple"}
            value = float(state == "active")
            yield _all_day("node_systemd_unit_state", labels, (value, value, value))
    for collector in ("boot", "efa", "expected", "jobs", "lustre", "xids"):
        labels = {**node, "collector": collector}
        yield _all_day("bedplate_collector_success", labels, (1, 1, 1))
        yield _all_day("bedplate_collector_seconds", labels, (0.1, 0.1, 0.2))
        for name, label in (
            ("bedplate_collector_timestamp_seconds", {"collector": collector}),
            ("node_textfile_mtime_seconds", {"file": f"{collector}.prom"}),
        ):
            yield {"series": _name(name, {**node, **label}), "values": f"0+60x{MINUTES}"}


def _login() -> Iterator[Input]:
    node = {**PLACE, "pool": "login", "node": "login-1", "instance_id": "i-0b1", "instance_type": "m7i.large"}
    node["job"] = "node"
    states = {"rest": "idle", "train": "allocated", "checkpoint": "allocated"}
    for index in range(NODES):
        of = {"slurm_node": f"train-{index + 1}", "slurm_partition": "train", "ours": "false"}
        for state in ("idle", "allocated"):
            shown = tuple(float(states[each] == state) for each in INDEX)
            values = _values("bedplate_slurm_node_state", (shown[0], shown[1], shown[2]), gone_at_zero=True)
            labels = {**node, **of, "state": state}
            yield {"series": _name("bedplate_slurm_node_state", labels), "values": values}
    partition = {"slurm_partition": "train"}
    yield _all_day("bedplate_slurm_jobs", {**node, **partition, "state": "running"}, (0, 1, 1))
    yield _all_day("bedplate_slurm_gpus", {**node, **partition, "state": "configured"}, (16, 16, 16))
    for metric in SLURMCTLD_METRICS:
        yield _all_day(metric.name, {**node, "job": "slurm"}, (0, 1, 1))
    yield from _scraped({"node": node, "slurm": {**node, "job": "slurm"}})


def _cluster() -> Iterator[Input]:
    labels = {**PLACE, "job": "validation"}
    yield _all_day("bedplate_validation_passed", labels, (1, 1, 1))
    yield _all_day("bedplate_validation_timestamp_seconds", labels, (-3600, -3600, -3600))
    yield _all_day("bedplate_validation_duration_seconds", labels, (1260, 1260, 1260))
    yield _all_day("bedplate_validation_nodes", {**labels, "state": "passed"}, (2, 2, 2))
    yield _all_day("bedplate_validation_verdicts", {**labels, "outcome": "pass"}, (80, 80, 80))
    of = {"collective": "AllReduce", "nodes": "2"}
    yield _all_day("bedplate_validation_bus_bandwidth_gbs", {**labels, **of}, (478, 478, 478))


def _scraped(targets: dict[str, dict[str, str]]) -> Iterator[Input]:
    for labels in targets.values():
        yield _all_day("up", labels, (1, 1, 1))
        yield _all_day("scrape_duration_seconds", labels, (0.2, 0.5, 0.9))
        yield _all_day("scrape_samples_scraped", labels, (700, 900, 900))


def _by_job(name: str, labels: dict[str, str], values: Values) -> Iterator[Input]:
    """One series at rest, and one for each job: DCGM's label of the job is gone with it."""
    yield _within("", name, labels, values)
    for job in JOBS:
        yield _within(job, name, {**labels, "hpc_job": job}, values)


def _all_day(name: str, labels: dict[str, str], values: Values) -> Input:
    return {"series": _name(name, labels), "values": _values(name, values)}


def _within(job: str, name: str, labels: dict[str, str], values: Values) -> Input:
    return {"series": _name(name, labels), "values": _values(name, values, job=job)}


def _name(name: str, labels: dict[str, str]) -> str:
    return (
        f"{name}{{{','.join(f'{key}={chr(34)}{value}{chr(34)}' for key, value in labels.items() if value)}}}"
    )


def _values(name: str, values: Values, *, job: str | None = None, gone_at_zero: bool = False) -> str:
    counter = METRICS[name].kind == "counter"
    parts, total = [], 0.0
    for phase in DAY:
        value = values[INDEX[phase.state]]
        if (job is not None and phase.job != job) or (gone_at_zero and not value):
            parts.append(f"_x{phase.minutes}")
        elif counter:
            parts.append(f"{total:.0f}+{value:.0f}x{phase.minutes - 1}")
        else:
            parts.append(_uneven(value, phase.minutes))
        total += value * phase.minutes if counter else 0
    return " ".join(parts)


def _uneven(value: float, minutes: int) -> str:
    """What is measured is never twice the same: a load's figure rises and falls by a twentieth."""
    if (value == int(value) and value < 10) or minutes < 20:
        return f"{value:g}+0x{minutes - 1}"
    third = minutes // 3
    rest = minutes - 2 * third
    steps = ((value, third), (value * 1.025, third), (value * 0.975, rest))
    return " ".join(f"{each:g}+0x{count - 1}" for each, count in steps)
