"""``dcgmi diag -r LEVEL -j``, ``health -c``, ``nvlink -s`` and ``--version``, as DCGM 4 prints them."""

from __future__ import annotations

from bedplate.sandbox.fleet import versions
from bedplate.sandbox.fleet.tools.dcgm_diag import diagnose, tests_of
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

MAX_LINKS = 18
PARSE_ERROR = 255
PARAMETERS = (
    "diagnostic.test_duration",
    "diagnostic.gflops_tolerance_pcnt",
    "targeted_stress.test_duration",
    "targeted_stress.target_stress",
    "memory_bandwidth.minimum_bandwidth",
)


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    if arguments in (["--version"], ["-v"]):
        say("", f"dcgmi  version: {versions.DCGM}", "")
        return 0
    if arguments == ["nvlink", "-s"]:
        return _nvlink(node)
    if arguments == ["health", "-g", "0", "-c", "-j"]:
        return _health()
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
    run, as_json, verbose = "", False, False
    parameters: dict[str, float] = {}
    while words:
        word = words.pop(0)
        if word in ("-r", "--run") and words:
            run = words.pop(0)
        elif word in ("-j", "--json"):
            as_json = True
        elif word in ("-v", "--verbose"):
            verbose = True
        elif word in ("-p", "--parameters") and words:
            parameters.update(_parameters(words.pop(0)))
        else:
            raise _no_match(word)
    try:
        tests = tests_of(run)
    except KeyError as error:
        raise ToolRefused(f'Error: requested test "{error.args[0]}" was not recognized.', 255) from error
    if not as_json:
        raise ToolRefused("The simulated dcgmi prints its diagnostics as JSON only (-j)", 255)
    text, code = diagnose(node, tests=tests, parameters=parameters, verbose=verbose)
    say(text)
    return code


def _parameters(text: str) -> dict[str, float]:
    """``test.name=value;…``; DCGM refuses a test or a name that it does not have."""
    found = {}
    for part in text.split(";"):
        name, equals, value = part.partition("=")
        if not equals or name not in PARAMETERS:
            raise ToolRefused(f"Error: parameter {part!r} is not supported.", 255)
        found[name] = float(value)
    return found


def _health() -> int:
    """Nobody has set watches, as on an untouched image."""
    say("Error: Health watches not enabled. Please enable watches. ")
    return 255
