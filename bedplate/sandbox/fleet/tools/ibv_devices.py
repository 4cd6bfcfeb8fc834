"""``ibv_devices``, as rdma-core prints it: every RDMA device, those that are no EFA too."""

from __future__ import annotations

from bedplate.sandbox.fleet.devices import efa_name, other_rdma_devices
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    if arguments:
        raise ToolRefused(f"ibv_devices: invalid option -- '{arguments[0].lstrip('-')}'", 1)
    hardware = node.hardware
    names = [efa_name(hardware, index) for index in node.efas]
    names += [row[0] for row in other_rdma_devices(hardware)]
    say("    device          \t   node GUID", "    ------          \t----------------")
    for number, name in enumerate(names):
        # EFA has no GUID of its own: the driver tells none.
        guid = "0" * 16 if name.startswith("rdmap") else f"{0x506B4B0300A1B2C0 + number:016x}"
        say(f"    {name:<16}\t{guid}")
    return 0
