"""Exporters and agent, which are only looked for: units of the simulated systemd start nothing. What they
would serve is ``bedplate.sandbox.telemetry``.
"""

from __future__ import annotations

from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del arguments, node
    raise ToolRefused(f"{tool}: the sandbox's nodes serve no metrics by themselves", 1)
