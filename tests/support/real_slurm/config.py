"""The files of a Slurm on one host: the base that plays a service, and a cluster's own parameters over it."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bedplate.node.bootstrap.places import HOOKS

CLUSTER = "bedplate"
GPUS = 8
DEVICES = ",".join(
    f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty", "ptmx", "kmsg")
)
"""Slurm takes a GPU's file only where it is a device; every host has these eight."""
NODE = "CPUs=192 Boards=1 SocketsPerBoard=2 CoresPerSocket=48 ThreadsPerCore=2 RealMemory=2000000"
PACE = "bf_interval=2,sched_interval=5"
"""How often Slurm looks at the queue: half a minute by default. Who is next stays the same."""


@dataclass(frozen=True)
class PartitionLine:
    """A partition: its name, its nodes (all where empty) and its parameters."""

    name: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    nodes: str = "ALL"

    def line(self) -> str:
        """As slurm.conf has it."""
        words = {"PartitionName": self.name, "Nodes": self.nodes, "State": "UP", **self.parameters}
        return " ".join(f"{name}={value}" for name, value in words.items())


@dataclass(frozen=True)
class Ports:
    """TCP ports that were free a moment ago."""

    controller: int
    database_daemon: int
    nodes: tuple[int, ...]


def free_ports(nodes: int) -> Ports:
    """Ask the system for ports; all are held until the last is given, so that none is given twice."""
    held = [socket.socket() for _ in range(nodes + 2)]
    try:
        for each in held:
            each.bind(("127.0.0.1", 0))
        numbers = [int(each.getsockname()[1]) for each in held]
    finally:
        for each in held:
            each.close()
    return Ports(numbers[0], numbers[1], tuple(numbers[2:]))


def host() -> str:
    """This host's short name, as slurmd asks for it."""
    return socket.gethostname().split(".")[0]


def node_names(nodes: int) -> list[str]:
    """gpu-1 and on."""
    return [f"gpu-{number}" for number in range(1, nodes + 1)]


def node_address(number: int) -> str:
    """The address of gpu-``number``: each node has its own, as instances have."""
    return f"127.0.1.{number}"


def slurm_conf(
    *,
    folder: Path,
    ports: Ports,
    settings: Mapping[str, str],
    partitions: Sequence[PartitionLine],
    accounting: bool,
    topology: bool,
    cred_expire_seconds: int,
) -> str:
    """slurm.conf: what the base and the settings both name is the settings'."""
    base = _base(folder=folder, ports=ports, cred_expire_seconds=cred_expire_seconds)
    if accounting:
        base |= _accounting(folder=folder, port=ports.database_daemon)
    if topology:
        base["TopologyPlugin"] = "topology/tree"
    merged = {**base, **settings}
    merged["SchedulerParameters"] = ",".join(
        word for word in (settings.get("SchedulerParameters", ""), PACE) if word
    )
    lines = [f"{name}={value}" for name, value in merged.items()]
    lines += [
        f"NodeName={name} NodeHostname={host()} NodeAddr={node_address(number)} Port={port} {NODE}"
        f" Gres=gpu:h200:{GPUS}"
        for number, (name, port) in enumerate(zip(node_names(len(ports.nodes)), ports.nodes, strict=True), 1)
    ]
    lines += [partition.line() for partition in partitions]
    return "\n".join(lines) + "\n"


def gres_conf(nodes: int) -> str:
    """gres.conf: each node has the same eight devices."""
    return f"NodeName=gpu-[1-{nodes}] Name=gpu Type=h200 File={DEVICES}\n"


def _base(*, folder: Path, ports: Ports, cred_expire_seconds: int) -> dict[str, str]:
    run, log = folder / "run", folder / "log"
    return {
        "ClusterName": CLUSTER,
        "SlurmctldHost": f"{host()}(127.0.0.1)",
        "SlurmUser": "root",
        "SlurmdUser": "root",
        "AuthInfo": f"socket={run}/munge.sock,cred_expire={cred_expire_seconds}",
        "SlurmctldPort": str(ports.controller),
        "SlurmdPort": str(ports.nodes[0]),
        "StateSaveLocation": f"{folder}/state",
        "SlurmdSpoolDir": f"{folder}/spool/%n",
        "SlurmctldPidFile": f"{run}/slurmctld.pid",
        "SlurmdPidFile": f"{run}/slurmd.%n.pid",
        "SlurmctldLogFile": f"{log}/slurmctld.log",
        "SlurmdLogFile": f"{log}/slurmd.%n.log",
        "ProctrackType": "proctrack/linuxproc",
        "TaskPlugin": "task/none",
        "SwitchType": "switch/none",
        "MpiDefault": "none",
        "MailProg": "/bin/true",
        "ReturnToService": "2",
        "SelectType": "select/cons_tres",
        "SelectTypeParameters": "CR_Core_Memory",
        "DefMemPerCPU": "100",
        "SlurmdParameters": "config_overrides",
        "GresTypes": "gpu",
        "PriorityType": "priority/multifactor",
    }


def _accounting(*, folder: Path, port: int) -> dict[str, str]:
    return {
        "AccountingStorageType": "accounting_storage/slurmdbd",
        "AccountingStorageHost": "127.0.0.1",
        "AccountingStoragePort": str(port),
        "AccountingStoragePass": f"{folder}/run/munge.sock",
        "JobAcctGatherType": "jobacct_gather/none",
    }


def without_hooks(settings: Mapping[str, str]) -> dict[str, str]:
    """Settings without the node's own programs, which no node here has: slurmd would drain each of them."""
    return {name: value for name, value in settings.items() if value not in HOOKS.values()}
