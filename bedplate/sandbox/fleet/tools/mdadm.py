"""``mdadm --create DEVICE --run --force --level=0 --raid-devices=N DISK…``."""

from __future__ import annotations

from pathlib import Path

from bedplate.sandbox.fleet.tools.output import complain
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

_FLAGS = ("--run", "--force", "--level=0")


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool, node
    if arguments[:1] != ["--create"] or len(arguments) < 2:
        raise ToolRefused("mdadm: the simulated mdadm only creates arrays (--create DEVICE …)", 2)
    device, disks, wanted = arguments[1], [], -1
    for word in arguments[2:]:
        if word.startswith("--raid-devices="):
            wanted = int(word.partition("=")[2])
        elif word.startswith("-"):
            if word not in _FLAGS:
                raise ToolRefused(f"mdadm: unrecognized option '{word}'", 2)
        else:
            disks.append(word)
    if len(disks) != wanted:
        raise ToolRefused(f"mdadm: You have listed {len(disks)} devices but asked for {wanted}", 2)
    for disk in disks:
        if not Path(disk).exists():
            raise ToolRefused(f"mdadm: cannot open {disk}: No such file or directory", 1)
    Path(device).parent.mkdir(parents=True, exist_ok=True)
    Path(device).touch()
    complain(f"mdadm: array {device} started.")
    return 0
