"""``enroot version``, and ``nvidia-container-cli``, which is only looked for: no container is started."""

from __future__ import annotations

from bedplate.sandbox.fleet import versions
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del node
    if (tool, arguments) != ("enroot", ["version"]):
        raise ToolRefused(f"{tool}: the sandbox starts no containers", 1)
    say(versions.ENROOT)
    return 0
