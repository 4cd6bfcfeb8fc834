"""``modprobe MODULE [PARAMETER=VALUE…]``."""

from __future__ import annotations

from bedplate.sandbox.fleet.tools.modules import known, load
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

_PARAMETERS = {"kefalnd": ("ipif_name",)}


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    name, *parameters = arguments or [""]
    if name not in known(node):
        raise ToolRefused(f"modprobe: FATAL: Module {name} not found in directory /lib/modules", 1)
    for parameter in parameters:
        if parameter.partition("=")[0] not in _PARAMETERS.get(name, ()):
            raise ToolRefused(
                f"modprobe: ERROR: could not insert '{name}': Unknown parameter: {parameter}", 1
            )
    load(node, name)
    return 0
