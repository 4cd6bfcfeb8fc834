"""``scancel --name=NAME``: ends the jobs of that name.

A simulated job lives in the ``srun`` that started it and ends with it, so that none of a name is left when
this is called: as with the real one, that is no error.
"""

from __future__ import annotations

from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool, node
    for argument in arguments:
        name, _, value = argument.partition("=")
        if name not in ("--name", "--user") or not value:
            raise ToolRefused(f"scancel: unrecognized option '{argument}'", 1)
    if not arguments:
        raise ToolRefused("scancel: error: No job identification provided", 1)
    return 0
