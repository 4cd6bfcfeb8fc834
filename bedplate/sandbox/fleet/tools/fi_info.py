"""``fi_info -p efa -t FI_EP_RDM`` and ``fi_info --version``, as libfabric 2.1 prints them."""

from __future__ import annotations

from bedplate.sandbox.fleet import versions
from bedplate.sandbox.fleet.devices import efa_name
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

NO_DATA = 61  # ENODATA


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    if arguments in (["--version"], ["-v"]):
        version = versions.LIBFABRIC
        say(f"fi_info: {version}", f"libfabric: {version}", f"libfabric api: {versions.LIBFABRIC_API}")
        return 0
    wanted = _options(arguments)
    if wanted.get("-p", "efa") != "efa" or not node.efas:
        raise ToolRefused(f"fi_getinfo: -{NO_DATA} (No data available)", NO_DATA)
    # From libfabric 2.1 on each device is listed once for each fabric.
    for fabric in ("efa", "efa-direct"):
        for device in node.efas:
            say(
                "provider: efa",
                f"    fabric: {fabric}",
                f"    domain: {efa_name(node.hardware, device)}-rdm",
                "    version: 201.0",
                "    type: FI_EP_RDM",
                "    protocol: FI_PROTO_EFA",
            )
    return 0


def _options(arguments: list[str]) -> dict[str, str]:
    words, found = list(arguments), dict[str, str]()
    while words:
        word = words.pop(0)
        if word not in ("-p", "-t") or not words:
            raise ToolRefused(f"fi_info: invalid option -- '{word.lstrip('-')}'", 1)
        found[word] = words.pop(0)
    if found.get("-t", "FI_EP_RDM") != "FI_EP_RDM":
        raise ToolRefused(f"fi_getinfo: -{NO_DATA} (No data available)", NO_DATA)
    return found
