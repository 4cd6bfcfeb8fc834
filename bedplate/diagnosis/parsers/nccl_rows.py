"""One row of a table of nccl-tests, by the layout that the table's title announces.

The layouts, by version: 1.0 calls its columns bytes, N, type, op, gives times in milliseconds and its error
as ``res`` (its broadcast has one placement only, and is told as damaged); 2.0 to 2.11 print size, count,
type, then redop or root or nothing, then (time, algbw, busbw, error) twice; from 2.13 on size, count, type,
redop, root, then (time, algbw, busbw, #wrong) twice; from 2.19 on ``-I`` puts four columns of per-iteration
statistics (i_min, i_max, i_p99, i_cv%) behind each placement. Later columns may follow. A row is found by
its size, count and type wherever it stands in a line, so labels of mpirun, srun, kubectl and CloudWatch do
no harm. Source: NVIDIA/nccl-tests ``src/common.cu`` and ``src/util.cu`` by tag.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bedplate.diagnosis.parsers.nccl_record import Half, Row
from bedplate.diagnosis.parsers.text import Printed, printed

_TITLE = re.compile(r"(?P<first>size\s+count|bytes\s+N)\s+type\b(?P<rest>.*\bbusbw\b.*)")
_ROW = re.compile(
    r"(?<![\w.\-])(?P<size>\d{1,19})\s+(?P<count>\d{1,19})\s+(?P<type>u?int(?:8|32|64)?|u?char|half|float|double"
    r"|bfloat16|u?int\d+|f(?:p|loat)?8_?e\dm\d)(?=\s)(?P<rest>.*)"
)
_ROW_HEAD = re.compile(r"(?<![\w.\-])\d+\s+\d+\s+(?:u?int\d*|u?char|half|float|double|bfloat16|f\w*8\w*)\b")
_REDOPS = frozenset({"sum", "prod", "max", "min", "avg", "all", "mulsum", "none"})
_WHOLE_ROOT = re.compile(r"-?\d+", re.ASCII)
_HALF, _ITERATIONS = 4, 4


@dataclass(frozen=True)
class Layout:
    """What a table's title tells of its columns."""

    has_root: bool
    counts_wrong: bool
    per_iteration: bool
    milliseconds: bool = False

    @property
    def width(self) -> int:
        """How many columns one placement has."""
        return _HALF + (_ITERATIONS if self.per_iteration else 0)


def read_title(line: str) -> Layout | None:
    """The layout, where the line is a table's title."""
    title = _TITLE.search(line) if "busbw" in line else None
    if title is None:
        return None
    rest = title.group("rest")
    return Layout(
        has_root=re.search(r"\broot\b", rest) is not None,
        counts_wrong="#wrong" in rest,
        per_iteration=re.search(r"\bi_min\b", rest) is not None,
        milliseconds=title.group("first").startswith("bytes"),
    )


def looks_like_a_row(line: str) -> bool:
    """Whether a line begins like a row, whatever comes of it."""
    return _ROW_HEAD.search(line) is not None


def read_row(line: str, *, number: int, layout: Layout) -> Row | None:
    """One row; None where the line is none, or is not whole."""
    match = _ROW.search(line)
    if match is None:
        return None
    words = match.group("rest").split()
    redop = words.pop(0) if words and words[0] in _REDOPS else ""
    root: int | None = None
    least = layout.width + _HALF
    if layout.has_root and words and _WHOLE_ROOT.fullmatch(words[0]) and len(words) > least:
        root = int(words.pop(0)) if len(words[0]) < 12 else None
    if len(words) < least:
        return None
    left = _read_half(words[:_HALF], layout)
    right = _read_half(words[layout.width : layout.width + _HALF], layout)
    if left is None or right is None:
        return None
    size, count = int(match.group("size")), int(match.group("count"))
    return Row(size, count, match.group("type"), redop, root, left, right, number, line.strip()[:300])


def _read_half(words: list[str], layout: Layout) -> Half | None:
    time_us, algbw, busbw = printed(words[0]), printed(words[1]), printed(words[2])
    if time_us is None or algbw is None or busbw is None:
        return None
    if layout.milliseconds:
        time_us = Printed(time_us.value * 1e3, time_us.half_unit * 1e3)
    if words[3] == "N/A":
        return Half(time_us, algbw, busbw, None)
    wrong = printed(words[3])
    if wrong is None or wrong.value < 0 or min(time_us.value, algbw.value, busbw.value) < 0:
        return None
    return Half(time_us, algbw, busbw, wrong.value)
