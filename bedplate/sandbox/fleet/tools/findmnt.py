"""``findmnt --json --list --output TARGET,SOURCE,FSTYPE,OPTIONS``: the node's mounts, its root among them."""

from __future__ import annotations

import json

from bedplate.diagnosis.storage_tools import MOUNTS
from bedplate.sandbox.fleet.tools.mounts import Mount, visible_mounts
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

_ROOT = Mount("/dev/nvme0n1p1", "/", "ext4", "rw,relatime,discard")


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    if tuple(arguments) != MOUNTS[1:]:
        raise ToolRefused(f"{tool}: unknown arguments: {' '.join(arguments)}", 1)
    rows = [
        {"target": each.target, "source": each.source, "fstype": each.kind, "options": each.options}
        for each in (_ROOT, *visible_mounts(node))
    ]
    say(json.dumps({"filesystems": rows}, indent=3))
    return 0
