"""The table that ``dcgmi diag`` prints without ``-j``, of DCGM 3 and DCGM 4.

Two columns, of 25 and 46 characters. DCGM 3 gathers GPUs by status (``Pass - GPUs: 1, 2``, ``Pass - All``);
DCGM 4 has a line for each (``GPU0: Pass``). Text is cut at 45 characters, in mid-word, and goes on in the
next line. A warning names its GPU itself: DCGM 3 prints it under the group. Source: NVIDIA/DCGM
``dcgmi/Diag.cpp``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from bedplate.diagnosis.parsers.dcgm_results import (
    PASS,
    TOOL,
    UNKNOWN,
    DcgmDiag,
    DiagResult,
    DiagWarning,
    status_of,
)
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import clean_lines

_SECTION = re.compile(r"^[|+]-+  (?P<title>[A-Z][A-Za-z ]*?)  -+\+-+[|+]?$")
_ROW = re.compile(r"^\|(?P<name>[^|]{1,60})\|(?P<value>.*)$")
_GROUP = re.compile(r"^(?P<status>Pass|Fail|Warn|Skip) - (?:All|GPUs?: (?P<gpus>\d+(?:, ?\d+)*),?)$")
_ONE = re.compile(r"^GPU ?(?P<gpu>\d{1,4}): (?P<status>[A-Za-z ]{1,20})$")
_OTHER = re.compile(r"^(?:CPU|NvSwitch|Switch|CX) ?\d+: ")
_REMARK = re.compile(r"^(?P<kind>Warning|Error|Info)(?::\s*(?:GPU ?(?P<gpu>\d{1,4}))?.*)?$")
_NAMED = re.compile(r"\bGPU (?P<gpu>\d{1,4})\b")
_WIDTH = 45


@dataclass
class _Remark:
    """A warning or info in the making: its cells are joined as they were cut."""

    is_info: bool
    gpu: int | None
    text: str


@dataclass
class _Test:
    name: str
    category: str
    summary: str = ""
    of_all: bool = False
    statuses: list[tuple[int | None, str]] = field(default_factory=list)
    remarks: list[_Remark] = field(default_factory=list)


def parse_dcgm_table(text: str) -> DcgmDiag:
    """Read the table; ParseError where there is no test in it."""
    tests: list[_Test] = []
    facts: dict[str, str] = {}
    section = ""
    generation = 3
    for line in clean_lines(text):
        head, row = _SECTION.match(line), _ROW.match(line)
        if head is not None:
            section = head.group("title")
        elif row is not None:
            name, cell = row.group("name").strip(), row.group("value")
            value = cell.rstrip(" |").strip()
            if section == "Metadata":
                facts.setdefault(name, value)
            elif name != "Diagnostic" or value != "Result":
                generation = max(generation, _take(tests, section, name, value, cell))
    if not any(test.statuses or test.summary for test in tests):
        raise ParseError(tool=TOOL, reason="there is no test in the table")
    return DcgmDiag(
        generation=generation,
        version=facts.get("DCGM Version", ""),
        driver=facts.get("Driver Version Detected", ""),
        results=tuple(result for test in tests for result in _results(test, generation)),
        summaries=tuple((test.name, test.summary) for test in tests if generation == 4 and test.summary),
        runtime_error="",
    )


def _take(tests: list[_Test], section: str, name: str, value: str, cell: str) -> int:
    """Read one row; returns 4 where only DCGM 4 prints such a row, else 3."""
    remark = _REMARK.match(name)
    if remark is not None and tests:
        gpu = remark.group("gpu")
        tests[-1].remarks.append(
            _Remark(remark.group("kind") == "Info", None if gpu is None else int(gpu), _piece(cell))
        )
        return 3
    if name:
        tests.append(_Test(name, section))
    if not tests:
        return 3
    group, one = _GROUP.match(value), _ONE.match(value)
    if group is not None:
        gpus: list[int | None] = [
            int(each) for each in (group.group("gpus") or "").split(",") if each.strip()
        ]
        tests[-1].of_all = tests[-1].of_all or not gpus
        tests[-1].statuses += [(gpu, status_of(group.group("status"))) for gpu in gpus or [None]]
    elif one is not None:
        tests[-1].statuses.append((int(one.group("gpu")), status_of(one.group("status"))))
        return 4
    elif name:
        tests[-1].summary = status_of(value) if value else UNKNOWN
    elif tests[-1].remarks and not _OTHER.match(value):
        tests[-1].remarks[-1].text += _piece(cell)
    return 3


def _piece(cell: str) -> str:
    """The part of a text that one cell holds: as many characters as fit, blanks at its end counted."""
    return cell[1 : 1 + _WIDTH] if cell.startswith(" ") else cell[:_WIDTH]


def _results(test: _Test, generation: int) -> list[DiagResult]:
    """One result for each status; in DCGM 3 a test without GPUs has its summary alone."""
    statuses = test.statuses
    if not statuses and test.summary and generation == 3:
        statuses = [(None, test.summary)]
    warned = [remark for remark in test.remarks if not remark.is_info]
    told = [remark for remark in test.remarks if remark.is_info]
    return [
        DiagResult(
            test=test.name,
            category=test.category,
            gpu=gpu,
            status=status,
            warnings=tuple(
                DiagWarning(_clean(remark.text), None, None)
                for remark in warned
                if _about(remark, gpu, status, statuses)
            ),
            info=tuple(_clean(remark.text) for remark in told if _gpu_of(remark) in {gpu, None}),
            all_gpus=gpu is None and test.of_all,
        )
        for gpu, status in statuses
    ]


def _about(remark: _Remark, gpu: int | None, status: str, statuses: list[tuple[int | None, str]]) -> bool:
    """Whether a warning belongs to a result: by the GPU that it names, else to all that did not pass."""
    named = _gpu_of(remark)
    if named is not None and any(each == named for each, _ in statuses):
        return named == gpu
    return gpu is None or status != PASS


def _gpu_of(remark: _Remark) -> int | None:
    match = _NAMED.search(remark.text)
    return remark.gpu if match is None else int(match.group("gpu"))


def _clean(text: str) -> str:
    return text.rstrip(" |").strip()[:300]
