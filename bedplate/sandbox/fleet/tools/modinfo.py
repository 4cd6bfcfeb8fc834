"""``modinfo -F version MODULE``."""

from __future__ import annotations

from bedplate.sandbox.fleet import versions
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    if len(arguments) != 3 or arguments[:2] != ["-F", "version"]:
        raise ToolRefused(f"modinfo: unknown arguments: {' '.join(arguments) or '(none)'}", 1)
    modules = {"lustre": versions.LUSTRE, "lnet": versions.LUSTRE}
    if node.hardware.efa_count:
        modules["efa"] = versions.EFA_DRIVER
    if node.hardware.gpus:
        modules["nvidia"] = versions.NVIDIA_DRIVER
    if arguments[2] not in modules:
        raise ToolRefused(f"modinfo: ERROR: Module {arguments[2]} not found.", 1)
    say(modules[arguments[2]])
    return 0
