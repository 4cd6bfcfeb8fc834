"""What of IMEX's configuration is ours to set; the rest of the file stays as the image has it. Pure."""

from __future__ import annotations

import re
from typing import Dict, List, Mapping

from bedplate.node.imex.places import PEERS

_FIRST_PORT, _PORTS = 20_000, 10_000
_COMMAND_PORT = 50_005
_LINE = re.compile(r"^\s*(?P<key>[A-Z][A-Z0-9_]*)\s*=")


def server_port(job: int) -> int:
    """The port of a job's domain. Another one for each job, as in NVIDIA's own prolog: a service that is left
    from the job before is not met there, whose other list would shut the two off from each other. Below the
    ports that the kernel gives to clients (from 32768), where NVIDIA's are.
    """
    return _FIRST_PORT + job % _PORTS


def our_settings(job: int) -> Dict[str, str]:
    """Key → value. The command service is what ``nvidia-imex-ctl`` asks on each node."""
    return {
        "SERVER_PORT": str(server_port(job)),
        "IMEX_NODE_CONFIG_FILE": PEERS,
        "IMEX_CMD_ENABLED": "1",
        "IMEX_CMD_PORT": str(_COMMAND_PORT),
    }


def with_settings(text: str, wanted: Mapping[str, str]) -> str:
    """The text with each key once, at the place where it stood first, or at the end where it was missing."""
    left: Dict[str, str] = dict(wanted)
    lines: List[str] = []
    for line in text.splitlines():
        match = _LINE.match(line)
        key = match["key"] if match else ""
        if key not in wanted:
            lines.append(line)
        elif key in left:
            lines.append(f"{key}={left.pop(key)}")
    return "\n".join([*lines, *(f"{key}={value}" for key, value in left.items())]) + "\n"
