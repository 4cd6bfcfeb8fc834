"""``mkfs.xfs [-f] [-L LABEL] DEVICE``."""

from __future__ import annotations

from pathlib import Path

from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del node
    words = [word for word in arguments if word != "-f"]
    if words[:1] == ["-L"] and len(words) > 2:
        words = words[2:]
    if len(words) != 1 or words[0].startswith("-"):
        raise ToolRefused(f"{tool}: unknown arguments: {' '.join(arguments)}", 1)
    if not Path(words[0]).exists():
        raise ToolRefused(f"{tool}: cannot open {words[0]}: No such file or directory", 1)
    return 0
