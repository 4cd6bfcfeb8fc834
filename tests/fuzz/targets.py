"""What is fuzzed: every parser of tool output, each with healthy text to begin from."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bedplate.diagnosis import parsers
from bedplate.diagnosis.checks.collective_run import Asked, read_run
from bedplate.diagnosis.collective import judge_collective
from bedplate.diagnosis.parsers.lines import stream_lines
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.verdict import Outcome
from bedplate.hardware import instance_type
from tests.diagnosis import answers, texts
from tests.diagnosis.jsons import nccl_json

P5EN = instance_type("p5en.48xlarge")
HEALTHY_PAIR = texts.between_log()
SHORT_RUN = texts.in_node_log(sizes=(8, 16, 1024))
CHATTER = [line for line in HEALTHY_PAIR.splitlines() if "[0] NCCL" in line][:12]


class FalsePass(Exception):
    """Bytes that are no healthy log were judged a pass."""


@dataclass(frozen=True)
class Target:
    """``run`` takes any text: it returns, or raises ``ParseError``; anything else is a finding."""

    run: Callable[[str], Any]
    seeds: tuple[str, ...]


def _judged(text: str) -> None:
    """A log whose end is not the healthy one's must not pass; status 0 is the worst that can be told."""
    run = read_run(log=text, rc=0, timed_out=False, asked=Asked("all_reduce", 16, 8, 16 * texts.GIB))
    judged = judge_collective(log=text, rc=0, timed_out=False, nodes=["a", "b"], instance_type=P5EN)
    whole = run.table is not None and len(run.table.rows) == len(texts.SIZES)
    if judged.bandwidth.outcome is Outcome.PASS and not whole:
        raise FalsePass(f"passed with {0 if run.table is None else len(run.table.rows)} rows")


XID = "NVRM: Xid (PCI:0000:53:00): 64, pid='<unknown>', name=<unknown>, Row Remapper Error"
SEEDS: Mapping[str, tuple[str, ...]] = {
    "parse_nccl_tests": (SHORT_RUN, "\n".join(CHATTER)),
    "parse_nccl_tests_json": (json.dumps(nccl_json(SHORT_RUN)),),
    "parse_nccl_info": ("\n".join(CHATTER), SHORT_RUN),
    "parse_dcgm_diag": (texts.diag_v4(), texts.diag_v3()),
    "parse_kernel_log": (texts.kernel_log(XID),),
}
"""Healthy text, short so that it is tried often, for parsers that need more than any tool's output."""


def parsers_of_text() -> dict[str, Callable[[str], Any]]:
    """Every function ``parse_…`` of ``bedplate.diagnosis.parsers`` that takes a text."""
    found: dict[str, Callable[[str], Any]] = {}
    for module in pkgutil.iter_modules(parsers.__path__):
        members = vars(importlib.import_module(f"{parsers.__name__}.{module.name}"))
        for name, member in members.items():
            if not name.startswith("parse_") or member.__module__ != f"{parsers.__name__}.{module.name}":
                continue
            first, *others = inspect.signature(member).parameters.values()
            # What wants more than a text is reached by the parsers that call it.
            if first.annotation in ("str", str) and all(one.default is not one.empty for one in others):
                found[name] = member
    return found


def _healthy_outputs() -> tuple[str, ...]:
    """What every tool of a healthy node prints: each parser is tried with all of them."""
    runs = [*answers.probe_answer()["tools"], *answers.exercise_answer()["tools"]]
    return tuple(dict.fromkeys(run["stdout"] for run in runs if run["stdout"]))


TARGETS: Mapping[str, Target] = {
    **{
        name: Target(parse, SEEDS.get(name) or _healthy_outputs())
        for name, parse in sorted(parsers_of_text().items())
    },
    "stream_lines": Target(lambda text: list(stream_lines([text])), ("a \r\n\x1b[32mb\x1b[0m\n",)),
    "judge_collective": Target(_judged, (HEALTHY_PAIR,)),
}


def try_one(name: str, data: bytes) -> bool:
    """Run one target on any bytes, as a node's output reaches it; False where it was refused as a whole."""
    try:
        TARGETS[name].run(data.decode("utf-8", errors="replace"))
    except ParseError:
        return False
    return True
