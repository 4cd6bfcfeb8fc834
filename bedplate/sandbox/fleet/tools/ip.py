"""``ip -o -4 route show default`` and ``ip -o -4 addr show``."""

from __future__ import annotations

from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

INTERFACE = "ens32"


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    router = ".".join(node.private_ip.split(".")[:3]) + ".1"
    if arguments == ["-o", "-4", "route", "show", "default"]:
        say(f"default via {router} dev {INTERFACE} proto dhcp src {node.private_ip} metric 100")
        return 0
    if arguments == ["-o", "-4", "addr", "show"]:
        say(f"2: {INTERFACE}    inet {node.private_ip}/24 brd + scope global dynamic {INTERFACE}")
        return 0
    raise ToolRefused(f'Object "{" ".join(arguments)}" is unknown, try "ip help".', 255)
