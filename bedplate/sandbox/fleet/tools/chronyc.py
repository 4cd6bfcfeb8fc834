"""``chronyc -c tracking``, as chrony 4 prints it on an instance that follows Amazon's time service."""

from __future__ import annotations

import time

from bedplate.sandbox.fleet.performance import noise
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

_SOURCE = ("A9FEA97B", "169.254.169.123")


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    if arguments != ["-c", "tracking"]:
        raise ToolRefused("Unrecognized command", 1)
    factor = noise(f"{node.instance_id}/clock")
    offset = node.effects.clock_offset_ms / 1000.0 + 0.000000704 * factor
    fields = [
        *_SOURCE,
        "4",
        f"{time.time() - 7.3:.9f}",
        f"{offset:.9f}",
        "0.000000704",
        "0.000001603",
        "8.643",
        "0.001",
        "0.034",
        f"{0.000308092 * factor:.9f}",
        f"{0.000232773 * factor:.9f}",
        "16.0",
        "Normal",
    ]
    say(",".join(fields))
    return 0
