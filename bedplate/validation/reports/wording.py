"""How reports name things: checks, causes, outcomes, numbers, times. One wording for every format."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from importlib import import_module
from math import floor
from typing import Any

from bedplate.diagnosis.causes import cause
from bedplate.diagnosis.verdict import Measure, Outcome, Subject
from bedplate.validation.judgement import Fault
from bedplate.validation.result import NodeResult, RunResult

SIMULATED = (
    "SIMULATED: this run was made against a local stand-in and simulated nodes. "
    "It says nothing about real hardware."
)

OUTCOME_WORDS: Mapping[Outcome, str] = {
    Outcome.PASS: "passed",
    Outcome.FAIL: "failed",
    Outcome.ERROR: "no usable answer",
    Outcome.NOT_TESTED: "not tested",
    Outcome.NOT_APPLICABLE: "does not apply to this type",
}

OUTCOME_GLYPHS: Mapping[Outcome, str] = {
    Outcome.PASS: "✓",
    Outcome.FAIL: "✕",
    Outcome.ERROR: "!",
    Outcome.NOT_TESTED: "?",
    Outcome.NOT_APPLICABLE: "–",
}


FAMILIES: Mapping[str, str] = {
    "NOD": "Node",
    "GPU": "GPU",
    "NVL": "NVLink",
    "EFA": "EFA",
    "DCG": "DCGM",
    "NCL": "NCCL",
    "FAB": "Fabric",
    "PRE": "Preflight",
}
"""Family of check ids → its name, in the order in which reports show them: from the node outwards."""


def check_order(check_id: str) -> tuple[int, str]:
    """The key that sorts checks as reports show them."""
    prefix = check_id.partition("-")[0]
    known = list(FAMILIES)
    return (known.index(prefix) if prefix in known else len(known), check_id)


def check_title(check_id: str) -> str:
    """The title of a check, or nothing where no row explains it."""
    where = "bedplate.validation.preflight" if check_id.startswith("PRE-") else "bedplate.diagnosis.checks"
    rows: Mapping[str, Any] = getattr(import_module(where), "ROWS", {})
    return str(rows[check_id].title) if check_id in rows else ""


def cause_title(cause_id: str | None) -> str:
    """A cause's name for a person, ``An EFA device is missing``; nothing for ``None``."""
    if cause_id is None:
        return ""
    row = cause(cause_id)
    return row.title if row else cause_id


def fault_title(fault: Fault) -> str:
    """A fault in a few words: the cause that is named, else what the check saw."""
    return cause_title(fault.cause) or sentence(fault.verdicts[0].summary) or f"{fault.check_id} failed"


def sentence(text: str) -> str:
    """A text with its first letter as a capital, the others as they are."""
    return text[:1].upper() + text[1:]


def node_label(node: NodeResult) -> str:
    """A node as people call it: the scheduler's name and the instance id, or the id alone."""
    return f"{node.hostname} ({node.node})" if node.hostname else node.node


def subject_label(subject: Subject, result: RunResult) -> str:
    """A verdict's subject with the nodes' names as people call them."""
    if subject.kind == "cluster":
        return whole_name(result)
    if subject.kind not in {"node", "link"}:
        return " ".join((subject.kind, *subject.names))
    known = {node.node: node for node in result.nodes}
    return " ↔ ".join(node_label(known[name]) if name in known else name for name in subject.names)


def whole_name(result: RunResult) -> str:
    """What a verdict about everything is about."""
    return "the environment" if result.kind == "preflight" else "whole cluster"


def measure_text(value: Measure, unit: str = "") -> str:
    """A measured or expected value with its unit; nothing for ``None``."""
    if value is None:
        return ""
    text = number_text(value) if isinstance(value, float) else str(value)
    return f"{text} {unit}".strip()


def confidence_text(confidence: float | None) -> str:
    """How sure a verdict is of its subject, rounded down so that nothing is certain; nothing for ``None``."""
    if confidence is None:
        return ""
    share = floor(confidence * 1000) / 10
    return f"{min(share, 99.9):g} % sure"


def number_text(value: float) -> str:
    """A number with the digits that matter: four significant ones, no exponent, no trailing zeros."""
    if value != value or value in (float("inf"), float("-inf")):
        return str(value)
    digits = max(0, 3 - (len(str(int(abs(value)))) - 1))
    return f"{value:,.{digits}f}".rstrip("0").rstrip(".") if digits else f"{value:,.0f}"


def size_text(size_bytes: int) -> str:
    """A message size in binary units: ``16 GiB``."""
    size = float(size_bytes)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            return f"{number_text(size)} {unit}"
        size /= 1024
    raise AssertionError("unreachable")


def time_text(moment: str) -> str:
    """An ISO 8601 time as ``3 February 2026, 09:14 UTC``; as given where it is not one."""
    try:
        at = datetime.fromisoformat(moment)
    except ValueError:
        return moment
    return f"{at.day} {at:%B %Y, %H:%M} UTC"


def duration_text(started_at: str, finished_at: str) -> str:
    """How long a run took: ``7 min 45 s``; nothing where it cannot be told."""
    try:
        took = datetime.fromisoformat(finished_at) - datetime.fromisoformat(started_at)
    except (ValueError, TypeError):
        return ""
    minutes, rest = divmod(max(0, round(took.total_seconds())), 60)
    hours, minutes = divmod(minutes, 60)
    parts = [(hours, "h"), (minutes, "min"), (rest, "s")]
    return " ".join(f"{value} {unit}" for value, unit in parts if value) or "0 s"
