"""``mount.lustre`` and its like: they are there to be found; mount(8) calls them, nobody else does."""

from __future__ import annotations

from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del node
    raise ToolRefused(f"{tool}: not to be called by hand: {' '.join(arguments)}", 1)
