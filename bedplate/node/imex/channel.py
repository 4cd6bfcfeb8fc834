"""The default IMEX channel, a device through which CUDA programs use the domain. It is gone at each boot."""

from __future__ import annotations

import os
import re
import stat

from bedplate.node.imex.places import CHANNEL, DEVICES, on_node

_MAJOR = re.compile(r"^\s*(?P<major>[0-9]+)\s+nvidia-caps-imex-channels\s*$", re.MULTILINE)
_FOR_ALL = 0o666


def make_channel() -> str:
    """Make it where it is missing; why that cannot be done, or nothing."""
    path = on_node(CHANNEL)
    if path.exists():
        return ""
    try:
        match = _MAJOR.search(on_node(DEVICES).read_text(encoding="utf-8", errors="replace"))
        if match is None:
            return f"the driver has no IMEX channels: {DEVICES} names none"
        path.parent.mkdir(parents=True, exist_ok=True)
        os.mknod(str(path), stat.S_IFCHR | _FOR_ALL, os.makedev(int(match["major"]), 0))
        path.chmod(_FOR_ALL)  # whatever the umask of slurmd took away
    except OSError as error:
        return f"{CHANNEL} cannot be made: {error}"
    return ""
