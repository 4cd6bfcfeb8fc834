"""Where IMEX, the kernel and this package keep their things. The first two are the defaults of NVIDIA's
package.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from bedplate.node.identity import node_root

CONFIG = "/etc/nvidia-imex/config.cfg"
PEERS = "/etc/nvidia-imex/nodes_config.cfg"
CHANNEL = "/dev/nvidia-caps-imex-channels/channel0"
DEVICES = "/proc/devices"
MARK = "/run/bedplate/imex.json"
"""Which job the domain that stands is for."""
_READABLE = 0o644


def on_node(place: str) -> Path:
    """The place below the node's root."""
    return Path(node_root() + place)


def write_whole(path: Path, text: str) -> None:
    """Write it whole or not at all, for all to read. Raises ``OSError``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.bedplate.{os.getpid()}")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.chmod(_READABLE)
        partial.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise
