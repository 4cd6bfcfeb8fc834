"""``modinfo -F version MODULE`` and ``modinfo -F filename MODULE``."""

from __future__ import annotations

from bedplate.sandbox.fleet import versions
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    if len(arguments) != 3 or arguments[:2] not in (["-F", "version"], ["-F", "filename"]):
        raise ToolRefused(f"modinfo: unknown arguments: {' '.join(arguments) or '(none)'}", 1)
    modules = {"lustre": versions.LUSTRE, "lnet": versions.LUSTRE}
    if node.hardware.efa_count:
        modules |= {"efa": versions.EFA_DRIVER, "kefalnd": versions.LUSTRE}
    if node.hardware.gpus:
        modules["nvidia"] = versions.NVIDIA_DRIVER
    name = arguments[2]
    if name not in modules:
        raise ToolRefused(f"modinfo: ERROR: Module {name} not found.", 1)
    path = f"/lib/modules/{versions.KERNEL}/updates/{name}.ko"
    say(modules[name] if arguments[1] == "version" else path)
    return 0
