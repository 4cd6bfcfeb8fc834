"""SIMULATED: systemd's part for nvidia-imex, and nvidia-imex-ctl, of one node of a cluster on this host.

``stand_in_imex.py FOLDER NODE TOOL ARGUMENT…``; a node's state lies in ``FOLDER/NODE``. A service takes its
list and its port at its start. Peers are connected where both run with the same list on the same port.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def main(folder: Path, node: str, tool: str, words: list[str]) -> int:
    """Play the tool on one node."""
    own = folder / node
    if tool == "nvidia-imex-ctl":
        sys.stdout.write(json.dumps(_domain(folder, own)) if "-N" in words else "READY\n")
        return 0
    if words[0] == "show":
        active = "active" if (own / "running").exists() else "inactive"
        sys.stdout.write(f"LoadState=loaded\nUnitFileState=enabled\nActiveState={active}\n")
    elif words[0] == "start":
        if (own / "refuses").exists():
            sys.stderr.write("Job for nvidia-imex.service failed.\n")
            return 1
        config = (own / "etc/nvidia-imex/config.cfg").read_text()
        peers = (own / "etc/nvidia-imex/nodes_config.cfg").read_text().split()
        port = [line for line in config.splitlines() if line.startswith("SERVER_PORT=")]
        (own / "running").write_text(json.dumps([peers, port]))
    else:
        (own / "running").unlink(missing_ok=True)
    return 0


def _domain(folder: Path, own: Path) -> dict[str, Any]:
    mine = json.loads((own / "running").read_text())
    names = json.loads((folder / "addresses.json").read_text())
    runs = {address: folder / name / "running" for address, name in names.items()}
    ready = [host for host in mine[0] if runs[host].exists() and json.loads(runs[host].read_text()) == mine]
    nodes = {
        str(index): {
            "host": host,
            "status": "READY" if host in ready else "UNAVAILABLE",
            "connections": {
                str(number): {
                    "host": peer,
                    "status": "CONNECTED" if {host, peer} <= set(ready) else "INVALID",
                }
                for number, peer in enumerate(mine[0])
            },
        }
        for index, host in enumerate(mine[0])
    }
    return {"nodes": nodes, "status": "UP" if ready == mine[0] else "DEGRADED"}


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]))
