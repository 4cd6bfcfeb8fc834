"""``lfs df``: the targets of every Lustre file system that is mounted; ``lfs hsm_state PATH``."""

from __future__ import annotations

from bedplate.sandbox.fleet.tools.associations import state_of
from bedplate.sandbox.fleet.tools.block_devices import on_node
from bedplate.sandbox.fleet.tools.lustre import mounted, targets
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

_MDT_KIB, _OST_KIB, _USED_KIB = 579_633_408, 1_125_308_416, 8_192


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    if arguments[:1] == ["hsm_state"] and len(arguments) == 2:
        say(state_of(node, on_node(node, arguments[1])))
        return 0
    if arguments != ["df"]:
        raise ToolRefused(f"{tool}: the simulated lfs does not know: {' '.join(arguments)}", 1)
    for mount in mounted(node):
        _df(node, mount.target, mount.source.rpartition("/")[2])
    return 0


def _df(node: NodeTruth, path: str, name: str) -> None:
    say("UUID                   1K-blocks        Used   Available Use% Mounted on")
    osts = list(targets(node))
    say(_row(f"{name}-MDT0000_UUID", _MDT_KIB, f"{path}[MDT:0]"))
    for index, state in osts:
        target = f"{name}-OST{index:04x}_UUID"
        if state in ("FULL", "IDLE"):
            say(_row(target, _OST_KIB, f"{path}[OST:{index}]"))
        else:
            say(f"{target:<20}: inactive device")
    up = sum(state in ("FULL", "IDLE") for _, state in osts)
    say("", _row("filesystem_summary:", _OST_KIB * up, path, used_kib=_USED_KIB * up), "")


def _row(name: str, kib: int, where: str, *, used_kib: int = _USED_KIB) -> str:
    return f"{name:<20} {kib:11d} {used_kib:11d} {kib - used_kib:11d}   1% {where}"
