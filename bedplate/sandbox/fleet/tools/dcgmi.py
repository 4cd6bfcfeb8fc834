"""``dcgmi diag -r LEVEL -j``, ``dcgmi nvlink -s`` and ``dcgmi --version``, as DCGM 4 prints them."""

from __future__ import annotations

from bedplate.sandbox.fleet import versions
from bedplate.sandbox.fleet.tools.dcgm_diag import EXIT_ISOLATE, diag_text
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

MAX_LINKS = 18
PARSE_ERROR = 255


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    if arguments in (["--version"], ["-v"]):
        say("", f"dcgmi  version: {versions.DCGM}", "")
        return 0
    if arguments == ["nvlink", "-s"]:
        return _nvlink(node)
    if arguments[:1] == ["diag"]:
        return _diag(arguments[1:], node)
    raise _no_match(" ".join(arguments) or "(none)")


def _no_match(argument: str) -> ToolRefused:
    return ToolRefused(
        f"PARSE ERROR: Argument: {argument}\n             Couldn't find match for argument", PARSE_ERROR
    )


def _nvlink(node: NodeTruth) -> int:
    say("+----------------------+", "|  NvLink Link Status  |", "+----------------------+", "GPUs:")
    for position, gpu in enumerate(node.gpus):
        down = sum(count for index, count in node.effects.nvlinks_down if index == gpu)
        links = node.hardware.nvlinks
        states = ["D"] * min(down, links) + ["U"] * (links - min(down, links)) + ["_"] * (MAX_LINKS - links)
        say(f"    gpuId {position}:", "        " + " ".join(states))
    say("NvSwitches:", "    No NvSwitches found.", "", "Key: Up=U, Down=D, Disabled=X, Not Supported=_")
    return 0


def _diag(arguments: list[str], node: NodeTruth) -> int:
    words = list(arguments)
    level, as_json = "", False
    while words:
        word = words.pop(0)
        if word in ("-r", "--run") and words:
            level = words.pop(0)
        elif word in ("-j", "--json"):
            as_json = True
        else:
            raise _no_match(word)
    if level not in ("1", "2", "3", "4"):
        raise ToolRefused(f'Error: requested test "{level}" was not recognized.', 255)
    if not as_json:
        raise ToolRefused("The simulated dcgmi prints its diagnostics as JSON only (-j)", 255)
    say(diag_text(node, level=int(level)))
    # Failures at level 1 are of the deployment; the hardware tests begin at level 2.
    return EXIT_ISOLATE if node.effects.dcgm_failures and int(level) >= 2 else 0
