"""``mount [-t TYPE] [-o OPTIONS] [--bind] SOURCE TARGET``."""

from __future__ import annotations

import re
from pathlib import Path

from bedplate.sandbox.fleet.tools.modules import is_loaded
from bedplate.sandbox.fleet.tools.mounts import Mount, add_mount, is_mount_point, read_mounts
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

# FSx for Lustre: DNS name, LNet, and the file system's mount name (FSx for Lustre User Guide, "Mounting").
_LUSTRE_SOURCE = re.compile(r"^fs-[0-9a-f]+\.fsx\.[a-z0-9-]+\.amazonaws\.com(\.cn)?@tcp:/[a-z0-9]+$")
_FAILED = 32


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    if not arguments:
        for mount in read_mounts(node):
            say(f"{mount.source} on {mount.target} type {mount.kind} ({mount.options})")
        return 0
    kind, options, bind, places = _parse(arguments)
    source, target = places
    if not Path(target).is_dir():
        raise ToolRefused(f"mount: {target}: mount point does not exist.", _FAILED)
    if is_mount_point(node, target):
        raise ToolRefused(f"mount: {target}: {source} already mounted on {target}.", _FAILED)
    if kind == "lustre":
        if not is_loaded(node, "lustre"):
            raise ToolRefused(f"mount.lustre: mount {source} at {target} failed: No such device", 19)
        if not _LUSTRE_SOURCE.match(source):
            raise ToolRefused(f"mount.lustre: {source}: not a file system of FSx for Lustre", 22)
    elif not bind and not Path(source).exists():
        raise ToolRefused(f"mount: {target}: special device {source} does not exist.", _FAILED)
    add_mount(node, Mount(source, str(Path(target)), kind, options))
    return 0


def _parse(arguments: list[str]) -> tuple[str, str, bool, tuple[str, str]]:
    words, places = list(arguments), []
    kind, options, bind = "xfs", "rw", False
    while words:
        word = words.pop(0)
        if word == "-t" and words:
            kind = words.pop(0)
        elif word == "-o" and words:
            options = words.pop(0)
        elif word == "--bind":
            kind, bind = "none", True
        elif word.startswith("-"):
            raise ToolRefused(f"mount: unrecognized option '{word}'", 1)
        else:
            places.append(word)
    if len(places) != 2 or kind not in ("lustre", "xfs", "none"):
        raise ToolRefused(f"mount: bad usage: {' '.join(arguments)}", 1)
    return kind, options, bind, (places[0], places[1])
