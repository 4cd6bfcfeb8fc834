"""``dcgmi diag -j``, ``health -c``, ``nvlink -s``, ``nvlink -e -j``, ``--version``, as DCGM 4 prints them."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping

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
    if arguments[:3] == ["nvlink", "-e", "-g"] and arguments[4:] == ["-j"]:
        return _nvlink_errors(arguments[3], node)
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


def _nvlink_errors(word: str, node: NodeTruth) -> int:
    """A GPU's counters: by link up to Hopper, one sum from Blackwell on; a link that repairs counts on."""
    if not word.isdigit() or int(word) >= len(node.gpus):
        raise ToolRefused(f"GPU ID {word} is not valid, return: Bad parameter passed to function", 255)
    gpu = node.gpus[int(word)]
    # Ten a millisecond: a load that is played and not waited for is over in a few of them.
    repaired = int((time.time() % 1e7) * 1e4) if gpu in node.effects.repairing_gpus else 0
    if "B" in node.hardware.gpu_model:
        counters = {"Rx Error": 0, "Link Integrity Error": repaired, "Symbol BER": 1.5e-254}
        body = {"Error Detail": _children(counters)}
    else:
        names = ("CRC FLIT Error", "CRC Data Error", "Replay Error", "Recovery Error")
        body = {
            f"Link {link}": _children(
                {name: repaired * (link == 0 and name == "Replay Error") for name in names}
            )
            for link in range(node.hardware.nvlinks)
        }
    say(json.dumps({"body": body, "header": ["NVLINK Error Counts", f"GPU {word}"]}, indent=1))
    return 0


def _children(counters: Mapping[str, float]) -> dict[str, object]:
    return {"children": {name: {"value": str(value)} for name, value in counters.items()}}


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
