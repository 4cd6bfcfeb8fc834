"""``df -P -k -t nfs4``: the NFS file systems that are mounted; status 1 where there is none."""

from __future__ import annotations

from bedplate.diagnosis.storage_tools import NFS_DF
from bedplate.sandbox.fleet.tools.mounts import visible_mounts
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

_KIB, _USED_KIB = 1_073_741_824, 4_096


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    if tuple(arguments) != NFS_DF[1:]:
        raise ToolRefused(f"{tool}: the simulated df does not know: {' '.join(arguments)}", 1)
    mounts = [mount for mount in visible_mounts(node) if mount.kind == "nfs4"]
    if not mounts:
        raise ToolRefused("df: no file systems processed", 1)
    say("Filesystem     1024-blocks   Used  Available Capacity Mounted on")
    for mount in mounts:
        say(f"{mount.source} {_KIB} {_USED_KIB} {_KIB - _USED_KIB}       1% {mount.target}")
    return 0
