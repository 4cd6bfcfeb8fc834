"""Which processes are on the GPUs: ``nvidia-smi --query-compute-apps`` of pid, name and GPU, as CSV.

The header is always printed, and nothing below it where no process is there; so an answer without the header
says nothing, which is not the same as "none".
"""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import clean_lines, whole

TOOL = "nvidia-smi --query-compute-apps"
_TITLES = ("pid", "process_name", "gpu_uuid")
_NONE = "no running processes found"


@dataclass(frozen=True)
class ComputeApp:
    """One process on one GPU; the name is what the driver prints, a path or ``[Not Found]``."""

    pid: int
    name: str
    gpu_uuid: str


def parse_compute_apps(text: str) -> tuple[ComputeApp, ...]:
    """The processes, in order; ParseError for an answer that is not whole."""
    lines = [line.strip() for line in clean_lines(text) if line.strip()]
    if not lines or tuple(word.strip() for word in lines[0].split(",")) != _TITLES:
        raise ParseError(tool=TOOL, reason="the line of titles is missing")
    rows = [line for line in lines[1:] if line.lower() != _NONE]
    return tuple(_app(line) for line in rows)


def _app(line: str) -> ComputeApp:
    # A program's path may hold commas: the first word and the last are what they are.
    head, _, rest = line.partition(",")
    name, _, uuid = rest.rpartition(",")
    pid = whole(head.strip())
    if pid is None or not name.strip() or not uuid.strip():
        raise ParseError(tool=TOOL, reason=f"a line cannot be read: {line[:80]!r}")
    return ComputeApp(pid, name.strip(), uuid.strip())
