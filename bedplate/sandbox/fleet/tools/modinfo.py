"""``modinfo -F version MODULE…`` and ``modinfo -F filename MODULE…``."""

from __future__ import annotations

from bedplate.sandbox.fleet import versions
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    if len(arguments) < 3 or arguments[:2] not in (["-F", "version"], ["-F", "filename"]):
        raise ToolRefused(f"modinfo: unknown arguments: {' '.join(arguments) or '(none)'}", 1)
    modules = {"lustre": versions.LUSTRE, "lnet": versions.LUSTRE}
    if node.hardware.efa_count:
        driver = versions.efa_driver(mixed_images=node.effects.mixed_images, private_ip=node.private_ip)
        modules |= {"efa": driver, "kefalnd": versions.LUSTRE}
    if node.hardware.gpus:
        modules["nvidia"] = versions.NVIDIA_DRIVER
    missing = [name for name in arguments[2:] if name not in modules]
    for name in arguments[2:]:
        if name in modules:
            path = f"/lib/modules/{versions.KERNEL}/updates/{name}.ko"
            say(modules[name] if arguments[1] == "version" else path)
    if missing:
        raise ToolRefused("\n".join(f"modinfo: ERROR: Module {name} not found." for name in missing), 1)
    return 0
