"""``nvidia-imex-ctl -N -j`` inside a job of one node, whose prolog has made a domain of that node alone."""

from __future__ import annotations

import json

from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    if sorted(arguments) != ["-N", "-j"]:
        raise ToolRefused(f"nvidia-imex-ctl: invalid arguments: {' '.join(arguments) or '(none)'}", 1)
    if not node.hardware.imex:
        raise ToolRefused("Failed to read node configuration file /etc/nvidia-imex/nodes_config.cfg", 1)
    down = node.effects.imex_down
    connection = {"host": node.private_ip, "status": "INVALID" if down else "CONNECTED", "changed": not down}
    entry = {
        "status": "UNAVAILABLE" if down else "READY",
        "host": node.private_ip,
        "hostName": "N/A" if down else node.hostname,
        "connections": {"0": connection},
    }
    document = {
        "nodes": {"0": entry},
        "timestamp": "11/30/2026 10:00:00.000",
        "status": "DOWN" if down else "UP",
    }
    say(json.dumps(document))
    return 0
