"""The node's mount table, kept in its own ``proc/mounts``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bedplate.diagnosis.storage_tools import SCRATCH
from bedplate.sandbox.fleet.truth import NodeTruth


@dataclass(frozen=True)
class Mount:
    """One line of the table."""

    source: str
    target: str
    kind: str
    options: str


def read_mounts(node: NodeTruth) -> list[Mount]:
    """All mounts in the order in which they were made."""
    path = _path(node)
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [Mount(*line.split(" ")[:4]) for line in lines]


def visible_mounts(node: NodeTruth) -> list[Mount]:
    """What is mounted now: a fault may have taken some away since the boot."""
    gone = node.effects.mounts_gone, node.effects.scratch_gone
    return [
        mount
        for mount in read_mounts(node)
        if not (gone[0] and mount.kind in ("lustre", "nfs4")) and not (gone[1] and mount.target == SCRATCH)
    ]


def add_mount(node: NodeTruth, mount: Mount) -> None:
    """Append one mount."""
    with _path(node).open("a", encoding="utf-8") as table:
        table.write(f"{mount.source} {mount.target} {mount.kind} {mount.options} 0 0\n")


def is_mount_point(node: NodeTruth, target: str) -> bool:
    """Whether something is mounted at exactly this path."""
    return any(mount.target == str(Path(target)) for mount in read_mounts(node))


def _path(node: NodeTruth) -> Path:
    return node.root / "proc/mounts"
