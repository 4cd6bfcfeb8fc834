"""The JSON of ``nvbandwidth -j``: bandwidths in GB/s (1e9 bytes a second) by test case.

Numbers are strings, ``N/A`` where there is none; a case is Passed, Waived, Not Found, Error or Running.
Source: NVIDIA/nvbandwidth ``json_output.cpp``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from bedplate.diagnosis.parsers.one_document import one_document
from bedplate.diagnosis.parsers.problem import ParseError

TOOL = "nvbandwidth"
_MOST = 1024


@dataclass(frozen=True)
class BandwidthCase:
    """One test case: ``rows`` are its matrix, None where it has no number."""

    name: str
    status: str
    rows: tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True)
class BandwidthLog:
    """The whole output; ``error`` is what the tool says went wrong."""

    cases: tuple[BandwidthCase, ...]
    error: str

    def case(self, name: str) -> BandwidthCase | None:
        """The one case of this name; None where it is missing or there twice."""
        found = [case for case in self.cases if case.name == name]
        return found[0] if len(found) == 1 else None


def parse_nvbandwidth(text: str) -> BandwidthLog:
    """Read the JSON; ParseError where it is cut, is none of nvbandwidth's, or holds what is no number."""
    document = one_document(text, tool=TOOL, keys=("nvbandwidth",))
    root = document.get("nvbandwidth") if isinstance(document, dict) else None
    if not isinstance(root, dict):
        raise ParseError(tool=TOOL, reason="there is no 'nvbandwidth' in it")
    cases = root.get("testcases")
    told = root.get("error")
    return BandwidthLog(
        cases=tuple(_case(entry) for entry in (cases if isinstance(cases, list) else [])),
        error=told[:300] if isinstance(told, str) else "",
    )


def _case(entry: object) -> BandwidthCase:
    data: Mapping[str, object] = entry if isinstance(entry, dict) else {}
    name, status, matrix = data.get("name"), data.get("status"), data.get("bandwidth_matrix")
    if not isinstance(name, str) or not isinstance(status, str):
        raise ParseError(tool=TOOL, reason="a test case has no name or no status")
    rows = matrix if isinstance(matrix, list) else []
    if len(rows) > _MOST or any(not isinstance(row, list) or len(row) > _MOST for row in rows):
        raise ParseError(tool=TOOL, reason=f"{name[:60]} has no matrix of numbers")
    return BandwidthCase(name[:100], status[:30], tuple(tuple(map(_number, row)) for row in rows))


def _number(word: object) -> float | None:
    if word == "N/A":
        return None
    try:
        number = float(word) if isinstance(word, str) and word.isascii() and len(word) < 30 else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or number < 0:
        raise ParseError(tool=TOOL, reason=f"{str(word)[:40]!r} is no bandwidth")
    return number
