"""``mountpoint [-q] PATH``."""

from __future__ import annotations

from bedplate.sandbox.fleet.tools.mounts import is_mount_point
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    words = [word for word in arguments if word != "-q"]
    if len(words) != 1 or words[0].startswith("-"):
        raise ToolRefused("mountpoint: bad usage", 1)
    mounted = is_mount_point(node, words[0])
    if len(words) == len(arguments):
        say(f"{words[0]} is {'' if mounted else 'not '}a mountpoint")
    return 0 if mounted else 32
