"""``nvidia-imex-ctl -N -j`` and ``-q``, of the service that a prolog has started on the node.

Where none ever was, it is as if the prolog of a job of this node alone had: the played ``srun`` calls no
hooks. A peer is connected whose service runs with the same list on the same port; how the real tool calls a
peer whose list differs is not known here, and it stands as one that was never connected.
"""

from __future__ import annotations

import json

from bedplate.sandbox.fleet.tools.imex_service import Running, running, was_never_set_up
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth, read_fleet


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    if sorted(arguments) not in (["-N", "-j"], ["-q"]):
        raise ToolRefused(f"nvidia-imex-ctl: invalid arguments: {' '.join(arguments) or '(none)'}", 1)
    if not node.hardware.imex:
        raise ToolRefused("Failed to read node configuration file /etc/nvidia-imex/nodes_config.cfg", 1)
    own = _service(node)
    if own is None:
        raise ToolRefused("Connection to nvidia-imex failed", 1)
    if arguments == ["-q"]:
        say("UNAVAILABLE" if node.effects.imex_down else "READY")
        return 0
    say(json.dumps(_domain(own, node)))
    return 0


def _service(node: NodeTruth) -> Running | None:
    return Running((node.private_ip,), 0) if was_never_set_up(node) else running(node)


def _domain(own: Running, asked: NodeTruth) -> dict[str, object]:
    fleet = {each.private_ip: each for each in read_fleet(asked.folder.parent).values()}
    ready = {
        host: service
        for host, service in ((host, _service(fleet[host])) for host in own.peers if host in fleet)
        if service is not None and not fleet[host].effects.imex_down and service.port == own.port
    }
    nodes = {str(index): _entry(host, own.peers, ready, fleet) for index, host in enumerate(own.peers)}
    whole = len(ready) == len(own.peers) and all(each.peers == own.peers for each in ready.values())
    status = "UP" if whole else "DEGRADED" if len(ready) > 1 else "DOWN"
    return {"nodes": nodes, "timestamp": "11/30/2026 10:00:00.000", "status": status}


def _entry(
    host: str, peers: tuple[str, ...], ready: dict[str, Running], fleet: dict[str, NodeTruth]
) -> dict[str, object]:
    connections = {}
    for index, peer in enumerate(peers):
        alike = host in ready and peer in ready and ready[host].peers == ready[peer].peers
        status = "CONNECTED" if alike else "NEVER_CONNECTED" if host in ready else "INVALID"
        connections[str(index)] = {"host": peer, "status": status, "changed": alike}
    return {
        "status": "READY" if host in ready else "UNAVAILABLE",
        "host": host,
        "hostName": fleet[host].hostname if host in ready else "N/A",
        "connections": connections,
    }
