"""``uname`` with one of ``-r``, ``-m``, ``-s``, ``-n``."""

from __future__ import annotations

from bedplate.sandbox.fleet import versions
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    machine = "aarch64" if node.hardware.architecture == "arm64" else "x86_64"
    answers = {"-r": versions.KERNEL, "-m": machine, "-s": "Linux", "-n": node.hostname}
    option = arguments[0] if arguments else "-s"
    if len(arguments) > 1 or option not in answers:
        raise ToolRefused(f"uname: unrecognized option '{' '.join(arguments)}'", 1)
    say(answers[option])
    return 0
