"""What of Lustre a node's tools see: which file systems are mounted, and how their targets are."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.sandbox.fleet.tools.mounts import Mount, visible_mounts
from bedplate.sandbox.fleet.truth import NodeTruth

OSTS = 4
"""Storage targets of a simulated file system; FSx has one for each 2.4 TiB or more."""


def mounted(node: NodeTruth) -> list[Mount]:
    """The Lustre file systems that are mounted."""
    return [mount for mount in visible_mounts(node) if mount.kind == "lustre"]


def targets(node: NodeTruth) -> Iterator[tuple[int, str]]:
    """(index, state of the connection) of each storage target, as this node sees it."""
    for index in range(OSTS):
        lost = node.effects.file_system_silent and index == OSTS - 1
        yield index, "DISCONN" if lost else "FULL" if index else "IDLE"
