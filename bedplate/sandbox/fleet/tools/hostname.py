"""``hostname``, with ``-s`` or without."""

from __future__ import annotations

from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    if arguments not in ([], ["-s"]):
        raise ToolRefused(f"hostname: unknown arguments: {' '.join(arguments)}", 255)
    say(node.hostname)
    return 0
