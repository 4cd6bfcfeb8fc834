"""SIMULATED: the service ``nvidia-imex`` of one node. At its start it takes its list of nodes and its port
from the files that the prolog wrote, and keeps them until it is stopped, as the real one does.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

UNIT = "nvidia-imex.service"
PEERS = "etc/nvidia-imex/nodes_config.cfg"
CONFIG = "etc/nvidia-imex/config.cfg"
_RUNNING = "imex-running.json"
_PORT = re.compile(r"^SERVER_PORT=([0-9]+)$", re.MULTILINE)
FIRST_CONFIG = """\
# NVIDIA IMEX configuration file
LOG_LEVEL=4
SERVER_PORT=50000
IMEX_NODE_CONFIG_FILE=/etc/nvidia-imex/nodes_config.cfg
IMEX_WAIT_FOR_QUORUM=RECOVERY
IMEX_CMD_ENABLED=0
IMEX_CMD_PORT=
"""


@dataclass(frozen=True)
class Running:
    """What a service was started with."""

    peers: tuple[str, ...]
    port: int


def start(node: NodeTruth) -> None:
    """Refused where the list does not have this node, whose address it is to bind to."""
    try:
        peers = (node.root / PEERS).read_text(encoding="ascii").split()
        port = _PORT.search((node.root / CONFIG).read_text(encoding="utf-8"))
    except OSError:
        peers, port = [], None
    if node.private_ip not in peers or port is None:
        raise ToolRefused(
            f"Job for {UNIT} failed because the control process exited with error code.\n"
            f'See "systemctl status {UNIT}" and "journalctl -xeu {UNIT}" for details.',
            1,
        )
    state = {"peers": peers, "port": int(port[1])}
    (node.folder / _RUNNING).write_text(json.dumps(state), encoding="ascii")


def stop(node: NodeTruth) -> None:
    """Also where it does not run."""
    (node.folder / _RUNNING).unlink(missing_ok=True)


def running(node: NodeTruth) -> Running | None:
    """None where it does not run."""
    try:
        state = json.loads((node.folder / _RUNNING).read_text(encoding="ascii"))
    except OSError:
        return None
    return Running(tuple(state["peers"]), int(state["port"]))


def was_never_set_up(node: NodeTruth) -> bool:
    """Whether no prolog has written a list here."""
    return not (node.root / PEERS).exists()
