"""What one simulated node really is: read by its tool stand-ins, never by the node program."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bedplate.sandbox.fleet.effects import Effects

TRUTH_FILE = "truth.json"
TRUTH_VERSION = 1
ASSOCIATIONS_FILE = "associations.json"
"""In the fleet's folder: which folders of Lustre are tied to S3."""


@dataclass(frozen=True)
class Hardware:
    """The parts of the hardware table that the stand-ins print; all zero on a node without GPUs."""

    gpus: int = 0
    gpu_model: str = ""
    gpu_memory_mib: int = 0
    nvlinks: int = 0
    efa_count: int = 0
    efa_generation: int = 0
    efa_gbps_each: int = 0
    gpudirect: bool = False
    architecture: str = "x86_64"
    vcpus: int = 4
    memory_gib: int = 16
    nvme_count: int = 0
    nvswitch: bool = False
    imex: bool = False


@dataclass(frozen=True)
class NodeTruth:
    """One node. ``role`` is ``compute`` or ``login``; ``booted_at`` is ISO 8601 in UTC; ``folder`` holds the
    node's files.
    """

    instance_id: str
    hostname: str
    private_ip: str
    slurm_name: str | None
    role: str
    instance_type: str
    partitions: tuple[str, ...]
    boot_id: str
    booted_at: str
    seed: str
    hardware: Hardware
    effects: Effects = field(default_factory=Effects)
    folder: Path = Path()

    @property
    def root(self) -> Path:
        """The node's tree of files: ``BEDPLATE_ROOT`` of everything that runs on it."""
        return self.folder / "root"

    @property
    def gpus(self) -> tuple[int, ...]:
        """Indices of the GPUs that the driver sees."""
        return tuple(i for i in range(self.hardware.gpus) if i not in self.effects.lost_gpus)

    @property
    def efas(self) -> tuple[int, ...]:
        """Indices of the EFA devices that the kernel sees."""
        return tuple(i for i in range(self.hardware.efa_count) if i not in self.effects.lost_efas)

    def write(self) -> None:
        """Write ``truth.json`` into the node's folder, whole or not at all."""
        data: dict[str, Any] = {"version": TRUTH_VERSION, **asdict(self)}
        del data["folder"]
        target = self.folder / TRUTH_FILE
        partial = target.with_name(f".{TRUTH_FILE}.{os.getpid()}")
        partial.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        partial.replace(target)


def read_truth(folder: Path) -> NodeTruth:
    """The node whose files lie in ``folder``. Raises ``OSError`` where there is none."""
    data = json.loads((folder / TRUTH_FILE).read_text(encoding="utf-8"))
    if data.pop("version") != TRUTH_VERSION:
        raise ValueError(f"{folder / TRUTH_FILE} was written by another version of the sandbox")
    data["hardware"] = Hardware(**data["hardware"])
    data["effects"] = Effects.from_json(data["effects"])
    data["partitions"] = tuple(data["partitions"])
    return NodeTruth(**data, folder=folder)


def read_fleet(fleet_folder: Path) -> dict[str, NodeTruth]:
    """All nodes of a fleet by instance id, ordered by private address."""
    nodes = [read_truth(path.parent) for path in fleet_folder.glob(f"*/{TRUTH_FILE}")]
    return {node.instance_id: node for node in sorted(nodes, key=lambda node: address_key(node.private_ip))}


def address_key(address: str) -> tuple[int, ...]:
    """A private IPv4 address as a sort key, so that 10.0.0.9 comes before 10.0.0.10."""
    return tuple(int(part) for part in address.split("."))
