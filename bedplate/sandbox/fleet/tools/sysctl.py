"""``sysctl -n vm.nr_hugepages``: what the kernel holds, whatever was written to it."""

from __future__ import annotations

from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    if arguments != ["-n", "vm.nr_hugepages"]:
        key = arguments[-1] if arguments else ""
        raise ToolRefused(
            f"sysctl: cannot stat /proc/sys/{key.replace('.', '/')}: No such file or directory", 1
        )
    held = (node.root / "proc/sys/vm/nr_hugepages").read_text(encoding="ascii").strip()
    say("0" if node.effects.no_huge_pages else held)
    return 0
