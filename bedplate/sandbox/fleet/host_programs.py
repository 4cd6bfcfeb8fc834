"""The programs of the host that a node's scripts may use."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

FOLDER = "host-bin"

# They read, write and sort files, and configure nothing. Whatever else a script calls is "command not found",
# so that a bootstrap can never reach the machine that plays the node.
_NAMES = """
awk base64 basename bash cat chmod chown comm cp cut date dd df diff dirname echo env expr false
find flock getent grep gunzip gzip head id install kill ln ls mkdir mktemp mv nproc od paste printf
ps pwd readlink realpath rm rmdir sed seq sh sha256sum sleep sort split stat tail tar tee test
timeout touch tr true truncate uniq wc which xargs
"""
HOST_PROGRAMS = tuple(_NAMES.split())


def interpreter() -> Path:
    """The real Python: a virtual environment's own starts slower, and a node has no such thing."""
    return Path(sys.executable).resolve()


def write_host_programs(fleet_folder: Path) -> None:
    """Make one folder of links that all nodes share; ``python3`` is what runs this sandbox."""
    folder = fleet_folder / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name in HOST_PROGRAMS:
        found = shutil.which(name)
        if found:
            (folder / name).symlink_to(found)
    (folder / "python3").symlink_to(interpreter())
